// Who is here; the host decides who may only watch.

import { h } from '../dom';
import type { State } from '../state';

export function people(state: State): HTMLElement {
  const list = h('ul', { className: 'people', 'aria-label': 'People in this world' });
  const build = () => {
    const host = state.clients.find((c) => c.id === state.me)?.role === 'host';
    list.replaceChildren(
      ...state.clients.map((c) => {
        const dot = h('span', { className: 'dot' });
        dot.style.background = `rgb(${c.color.join()})`;
        const watch = h('input', {
          type: 'checkbox', checked: c.role === 'watcher', 'aria-label': `${c.name} may only watch`,
          onchange: () => state.connection.message({ type: 'appoint', client: c.id, role: watch.checked ? 'watcher' : 'guest' }),
        });
        const mine = c.id === state.me;
        return h('li', {}, dot, h('span', {}, c.name, mine ? ' (you)' : ''), h('small', {}, c.role), host && !mine ? h('label', {}, watch, ' only watch') : null);
      }),
    );
  };
  state.on('clients', build);
  return h('div', {}, h('h3', {}, 'People'), list);
}
