// Who is here; the host decides who may only watch.

import { h, remember } from '../dom';
import type { State } from '../state';

export function people(state: State): HTMLElement {
  const list = h('ul', { className: 'people', 'aria-label': 'People in this world' });
  const build = () => {
    // Not under the hands of someone who is typing.
    if (
      list.contains(document.activeElement) &&
      document.activeElement instanceof HTMLInputElement &&
      document.activeElement.type === 'text'
    )
      return;
    const host = state.clients.find((c) => c.id === state.me)?.role === 'host';
    list.replaceChildren(
      ...state.clients.map((c) => {
        const dot = h('span', { className: 'dot' });
        dot.style.background = `rgb(${c.color.join()})`;
        const watch = h('input', {
          type: 'checkbox',
          checked: c.role === 'watcher',
          'aria-label': `${c.name} may only watch`,
          onchange: () =>
            state.connection.message({
              type: 'appoint',
              client: c.id,
              role: watch.checked ? 'watcher' : 'guest',
            }),
        });
        const mine = c.id === state.me;
        const name = h('input', {
          type: 'text',
          value: c.name,
          maxLength: 32,
          'aria-label': 'Your name',
          id: 'my-name',
          onchange: () => {
            state.connection.message({ type: 'rename', name: name.value });
            remember('name', name.value);
          },
        });
        return h(
          'li',
          {},
          dot,
          mine ? name : h('span', {}, c.name),
          h('small', {}, c.role),
          host && !mine ? h('label', {}, watch, ' only watch') : null,
        );
      }),
    );
  };
  state.on('clients', build);
  return h('div', {}, h('h3', {}, 'People'), list);
}
