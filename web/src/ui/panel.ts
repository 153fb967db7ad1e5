// The property panel: drawn from the list of properties that the server sends, for every kind of
// object.

import type { Property, PropertyValue } from '../bindings';
import { h, icon, short } from '../dom';
import type { State } from '../state';
import { curveEditor } from './curve';

/** What a colour input takes; a body without a colour of its own says "none". */
const COLOR = /^#[0-9a-f]{6}$/i;

/** What has no heading first, then group by group as they come. */
function ordered(properties: Property[]): Property[] {
  const groups = ['', ...new Set(properties.map((p) => p.group))];
  return [...new Set(groups)].flatMap((group) => properties.filter((p) => p.group === group));
}

export function panel(state: State, plot: (path: string) => void): HTMLElement {
  const box = h('div', { className: 'properties', 'aria-label': 'Properties' });
  const title = h('h2', {}, 'World');
  let shown = '';
  let updates: ((p: Property) => void)[] = [];

  const send = (key: string, value: PropertyValue) => {
    const object = state.inspection?.object;
    const group = state.inspection?.properties.find((p) => p.key === key)?.group;
    // A material is given to all selected bodies, everything else to the one that is shown.
    const several = group === 'Material' && object !== 'world' ? state.bodies() : [];
    for (const o of several.length > 1 ? several : [object])
      if (o) state.connection.command({ do: 'set', object: o, key, value });
    if (key === 'name' && 'text' in value) state.selected = [value.text];
    setTimeout(() => state.inspect(), 120);
  };
  /** A component with few digits; what is nothing beside the others is 0. */
  const rounded = (v: [number, number, number], k: number) => {
    const most = Math.max(1e-9, ...v.map(Math.abs));
    return Math.abs(v[k]!) < 1e-7 * most ? '0' : short(v[k]!, 4);
  };
  const busy = (e: HTMLElement) => document.activeElement === e;

  /** The input for one property, and how it takes over a new value. */
  function field(p: Property): [HTMLElement, (p: Property) => void] {
    const label = `${p.key}${p.unit ? ` in ${p.unit}` : ''}`;
    const f = p.field;
    if (f === 'fixed') {
      const out = h('output', {}, '');
      return [out, (q) => (out.textContent = text(q.value))];
    }
    if (f === 'vector') {
      // Inputs show few digits; the others keep theirs when one is changed.
      const exact: [number, number, number] = [0, 0, 0];
      const inputs = [0, 1, 2].map((k) =>
        h('input', {
          type: 'number',
          step: 'any',
          'aria-label': `${label} ${'xyz'[k]}`,
          onfocus: () => (inputs[k]!.value = String(exact[k])),
          onblur: () => (inputs[k]!.value = rounded(exact, k)),
          onchange: () => {
            exact[k] = Number(inputs[k]!.value) || 0;
            send(p.key, { vector: [...exact] });
          },
        }),
      );
      return [
        h('span', { className: 'vector' }, ...inputs),
        (q) => {
          if (!('vector' in q.value) || inputs.some(busy)) return;
          q.value.vector.forEach((x, k) => (exact[k] = x));
          inputs.forEach((i, k) => {
            i.value = rounded(exact, k);
            i.title = String(exact[k]);
          });
        },
      ];
    }
    if (f === 'toggle') {
      const input = h('input', {
        type: 'checkbox',
        'aria-label': label,
        onchange: () => send(p.key, { toggle: input.checked }),
      });
      return [input, (q) => (input.checked = 'toggle' in q.value && q.value.toggle)];
    }
    if (f === 'curve') {
      const holder = h('div', {});
      let known = '';
      return [
        holder,
        (q) => {
          // Another person's edit, or undo: drawn anew, but not under the user's hand.
          if (!('curve' in q.value) || holder.matches(':active')) return;
          const now = JSON.stringify(q.value.curve);
          if (now === known) return;
          known = now;
          holder.replaceChildren(
            curveEditor(q.value.curve, p.unit, (curve) => {
              known = JSON.stringify(curve);
              send(p.key, { curve });
            }),
          );
        },
      ];
    }
    if (f === 'text') {
      const color = p.key === 'color';
      const input = h('input', {
        type: color ? 'color' : 'text',
        'aria-label': label,
        maxLength: 200,
        onchange: () => send(p.key, { text: input.value }),
      });
      return [
        input,
        (q) =>
          !busy(input) &&
          'text' in q.value &&
          (input.value = !color || COLOR.test(q.value.text) ? q.value.text : '#8b93a1'),
      ];
    }
    if ('choice' in f) {
      const select = h(
        'select',
        { 'aria-label': label, onchange: () => send(p.key, { text: select.value }) },
        ...f.choice.map((w) => h('option', { value: w }, w)),
      );
      return [select, (q) => !busy(select) && 'text' in q.value && (select.value = q.value.text)];
    }
    const n = f.number;
    const input = h('input', {
      type: 'number',
      step: 'any',
      min: n.min ?? '',
      max: n.max ?? '',
      'aria-label': label,
      placeholder: n.optional ? 'none' : '',
      onchange: () => {
        const value = input.value.trim() === '' ? null : Number(input.value);
        if (value === null && !n.optional) return;
        send(p.key, { number: value });
      },
    });
    return [
      input,
      (q) =>
        !busy(input) &&
        'number' in q.value &&
        (input.value = q.value.number === null ? '' : short(q.value.number, 6)),
    ];
  }

  /** A slider for every coordinate of a joint: what hangs on it is moved. */
  function joints(name: string): HTMLElement[] {
    const joint = state.scene?.joints.find((j) => j.name === name);
    const now = (c: string) => {
      const value = state.inspection?.properties.find((p) => p.key === c)?.value;
      return value && 'number' in value ? (value.number ?? 0) : 0;
    };
    return (joint?.coordinates ?? []).flatMap((c, k) => {
      if (c === 'swing') return [];
      const far = c === 'angle' ? Math.PI : Math.max(1, 2 * Math.abs(now(c)));
      const [low, high] = joint!.ranges[k] ?? [null, null];
      const slider = h('input', {
        type: 'range',
        min: String(low ?? (c === 'length' ? 0 : -far)),
        max: String(high ?? far),
        step: 'any',
        value: String(now(c)),
        'aria-label': `${c} of ${name}`,
        'data-coordinate': c,
        oninput: () =>
          state.connection.command({
            do: 'drive',
            joint: name,
            coordinate: c,
            value: Number(slider.value),
          }),
        // the next move is an edit of its own for undo
        onchange: () => state.connection.command({ do: 'release' }),
      });
      slider.value = String(now(c));
      sliders.set(c, slider);
      return [h('label', { className: 'property' }, h('span', {}, `move ${c}`), slider)];
    });
  }
  const sliders = new Map<string, HTMLInputElement>();

  function text(v: PropertyValue): string {
    if ('number' in v) return v.number === null ? '–' : short(v.number, 5);
    if ('vector' in v) return v.vector.map((x) => short(x, 3)).join('  ');
    if ('text' in v) return v.text;
    return '';
  }

  function build(): void {
    const i = state.inspection;
    if (!i) return;
    const key = `${i.object}|${i.properties.map((p) => p.key + JSON.stringify(p.field)).join()}|${i.properties.some((p) => p.original !== null)}`;
    const edited =
      i.properties.some((p) => 'curve' in p.value) && box.contains(document.activeElement);
    if (key !== shown && !edited) {
      shown = key;
      title.textContent = i.object === 'world' ? 'World and method' : i.object;
      box.dataset.kind = i.kind;
      updates = [];
      sliders.clear();
      let group = '';
      const rows = ordered(i.properties).flatMap((p) => {
        const [element, update] = field(p);
        // back to what the scene began with (W-140)
        const back = h(
          'button',
          {
            className: 'back',
            type: 'button',
            hidden: true,
            'aria-label': `${p.key} as at the start of the scene`,
            onclick: (e: Event) => {
              e.preventDefault();
              const now = state.inspection?.properties.find((q) => q.key === p.key);
              if (now?.original) send(p.key, now.original);
            },
          },
          icon('reset') as unknown as Node,
        );
        updates[i.properties.indexOf(p)] = (q) => {
          update(q);
          back.hidden = q.original === null;
          if (q.original) back.title = `at the start: ${text(q.original) || 'otherwise'}`;
        };
        // under the heading of its group a nested key says its last word only
        const name = (p.group ? p.key.split('.').at(-1)! : p.key).replace(/[_.]/g, ' ');
        const several = p.group === 'Material' && i.object !== 'world' && state.bodies().length > 1;
        const heading =
          p.group && p.group !== group
            ? [
                h(
                  'h3',
                  {},
                  several
                    ? `${p.group} of ${state.bodies().length} bodies`
                    : p.group.replace(', ', ' '),
                ),
              ]
            : [];
        group = p.group;
        return [
          ...heading,
          h(
            'label',
            { className: p.field === 'curve' ? 'property wide' : 'property', title: p.doc },
            h('span', {}, name, p.unit ? h('small', {}, ` ${p.unit}`) : null, back),
            element,
          ),
        ];
      });
      const plots = i.quantities.length
        ? h(
            'div',
            { className: 'quantities' },
            h('h3', {}, 'Plot'),
            ...i.quantities.map((q) =>
              h(
                'button',
                { className: 'chip', type: 'button', onclick: () => plot(q) },
                q.split('.').at(-1) ?? q,
              ),
            ),
          )
        : null;
      const changed = i.properties.some((p) => p.original !== null);
      const reset =
        i.object !== 'world' && changed
          ? h(
              'button',
              {
                className: 'chip',
                type: 'button',
                id: 'reset-object',
                onclick: () => state.connection.command({ do: 'reset', objects: [i.object] }),
              },
              'as at the start',
            )
          : null;
      const moves = i.kind === 'joint' ? joints(i.object) : [];
      box.replaceChildren(...moves, ...rows, ...(reset ? [reset] : []), ...(plots ? [plots] : []));
    }
    i.properties.forEach((p, k) => updates[k]?.(p));
    for (const [c, slider] of sliders) {
      const value = i.properties.find((p) => p.key === c)?.value;
      if (value && 'number' in value && value.number !== null && !slider.matches(':active'))
        slider.value = String(value.number);
    }
  }

  state.on('properties', build);
  state.on('selection', () => (shown = ''));
  return h('div', { className: 'pane' }, title, box);
}
