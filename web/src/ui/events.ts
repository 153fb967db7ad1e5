// What happened, with its time: a list, and marks above the slider of time. A click goes there.

import { h } from '../dom';
import type { State } from '../state';

/** Goes to a time and stops there. */
const travel = (state: State, time: number) => state.connection.command({ do: 'rewind', time });

export function eventList(state: State): HTMLElement {
  const list = h('div', { className: 'events', 'aria-label': 'Events' });
  const none = h('p', { className: 'note' }, 'Nothing has happened yet.');
  const build = () => {
    const rows = state.events
      .map((e) =>
        h(
          'button',
          { className: 'row', type: 'button', onclick: () => travel(state, e.time) },
          h('span', {}, e.text),
          h('small', {}, `${e.time.toFixed(2)} s`),
        ),
      )
      .reverse();
    list.replaceChildren(...(rows.length ? rows : [none]));
  };
  state.on('events', build);
  build();
  return h(
    'div',
    { className: 'pane' },
    h('h3', {}, 'Events'),
    list,
    h('p', { className: 'note' }, 'A click goes back to the time of an event, if it is stored.'),
  );
}

/** Marks over a slider that reaches from `first` to `last`. */
export class Marks {
  readonly element = h('div', { className: 'marks', 'aria-hidden': 'true' });
  private shown = '';

  constructor(private readonly state: State) {}

  update(first: number, last: number): void {
    const there = this.state.events.filter((e) => e.time >= first && e.time <= last);
    const key = `${first} ${last} ${there.length} ${there.at(-1)?.time}`;
    if (key === this.shown || !(last > first)) return;
    this.shown = key;
    this.element.replaceChildren(
      ...there.slice(-100).map((e) =>
        h('i', {
          style: `left:${((100 * (e.time - first)) / (last - first)).toFixed(2)}%`,
          title: `${e.time.toFixed(2)} s: ${e.text}`,
          onclick: () => travel(this.state, e.time),
        }),
      ),
    );
  }
}
