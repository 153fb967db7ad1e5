// The tree of everything that exists; every object can be selected here, also hidden ones.

import { h, icon } from '../dom';
import type { State } from '../state';

const MOST = 400;

/** `show` brings an object near that was clicked twice. */
export function tree(state: State, show: () => void): HTMLElement {
  const list = h('div', { className: 'tree', role: 'group', 'aria-label': 'Objects' });
  const search = h('input', {
    type: 'search',
    placeholder: 'Find…',
    'aria-label': 'Find an object',
    oninput: () => build(),
  });

  /** What concerns the row's object concerns all selected ones when it is one of them. */
  const meant = (name: string) => (state.selected.includes(name) ? state.selected : [name]);

  function row(name: string, note: string): HTMLElement {
    const trouble = state.troubles.get(name);
    const [hidden, locked] = [state.hidden.has(name), state.isLocked(name)];
    const small = (on: boolean, glyph: string, label: string, act: () => void) =>
      h(
        'button',
        {
          className: on ? 'small on' : 'small',
          type: 'button',
          title: label,
          'aria-label': `${label}: ${name}`,
          'aria-pressed': on,
          onclick: act,
        },
        icon(glyph) as unknown as Node,
      );
    return h(
      'div',
      { className: trouble ? 'line trouble' : 'line', title: trouble?.text },
      h(
        'button',
        {
          className: state.selected.includes(name) ? 'row on' : 'row',
          type: 'button',
          'aria-pressed': state.selected.includes(name),
          'data-name': name,
          ondblclick: show,
          onclick: (e: MouseEvent) =>
            e.shiftKey || e.ctrlKey || e.metaKey ? state.toggle(name) : state.select([name]),
        },
        h('span', {}, name),
        h('small', {}, trouble ? trouble.kind : note),
      ),
      small(hidden, hidden ? 'hidden' : 'eye', hidden ? 'Show' : 'Hide', () =>
        state.hide(meant(name), !hidden),
      ),
      small(locked, locked ? 'lock' : 'unlock', locked ? 'Unlock' : 'Lock', () =>
        state.connection.command({ do: 'lock', objects: meant(name), on: !locked }),
      ),
    );
  }

  function group(title: string, names: { name: string; note: string }[]): HTMLElement | null {
    const text = search.value.trim().toLowerCase();
    const found = names.filter((n) => !text || n.name.toLowerCase().includes(text));
    if (found.length === 0) return null;
    const rows = found.slice(0, MOST).map((n) => row(n.name, n.note));
    const more =
      found.length > MOST
        ? h('p', { className: 'note' }, `and ${found.length - MOST} more: search by name`)
        : null;
    return h(
      'details',
      { open: true },
      h('summary', {}, `${title} `, h('small', {}, String(found.length))),
      ...rows,
      more,
    );
  }

  function build(): void {
    const s = state.scene;
    list.replaceChildren();
    if (!s) return;
    const world = h(
      'button',
      {
        className: state.selected.length ? 'row' : 'row on',
        'aria-pressed': !state.selected.length,
        type: 'button',
        onclick: () => state.select([]),
      },
      'World and method',
    );
    const groups = [
      group(
        'Bodies',
        s.bodies.map((b) => ({ name: b.name, note: b.kind === 'dynamic' ? '' : b.kind })),
      ),
      group(
        'Colliders',
        s.colliders.map((c) => ({ name: c.name, note: c.active ? '' : 'off' })),
      ),
      group(
        'Joints',
        s.joints.map((j) => ({ name: j.name, note: j.active ? j.kind : `${j.kind}, off` })),
      ),
      group(
        'Springs',
        s.springs.map((x) => ({ name: x.name, note: '' })),
      ),
      group(
        'Constraints and controllers',
        s.elements.map((e) => ({ name: e.name, note: e.active ? e.kind : `${e.kind}, off` })),
      ),
      group(
        'Curves',
        s.curves.map((c) => ({ name: c.name, note: '' })),
      ),
      group(
        'Fields',
        s.fields.map((f) => ({ name: f.name, note: f.active ? f.kind : `${f.kind}, off` })),
      ),
      group(
        'Procedures',
        s.procedures.map((p) => ({ name: p.name, note: p.active ? 'distance' : 'distance, off' })),
      ),
      group(
        'Motors',
        s.motors.map((m) => ({ name: m.name, note: m.coordinate })),
      ),
      group(
        'Sensors',
        s.sensors.map((x) => ({ name: x.name, note: x.kind.replace('_', ' ') })),
      ),
      group(
        'Markers',
        s.markers.map((m) => ({ name: m.name, note: s.bodies[m.body]?.name ?? 'world' })),
      ),
      group(
        'Forces over time',
        s.forces.map((name) => ({ name, note: '' })),
      ),
    ];
    list.append(world, ...groups.filter((g): g is HTMLElement => g !== null));
  }

  state.on('scene', build);
  state.on('selection', build);
  state.on('troubles', build);
  state.on('hidden', build);
  return h('div', { className: 'pane' }, search, list);
}
