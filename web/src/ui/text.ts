// Items as text: whatever a scene can hold can be added while it runs, from a template with the
// selected objects in it. Messages about mistakes name the line.

import { h } from '../dom';
import type { State } from '../state';

const list = (names: string[]) => `[${names.map((n) => JSON.stringify(n)).join(', ')}]`;

/** A template for each kind that is not made by a click. */
const TEMPLATES: Record<string, (bodies: string[], joints: string[]) => string> = {
  procedure: (b) =>
    `# bodies keep away from each other\n[[procedure]]\nbodies = ${list(b.length > 1 ? b : ['a', 'b'])}\nradius = 0.1      # m\nthreshold = 0.05  # m\nfactor = 2\n`,
  formula: (b) =>
    `# every formula is held at zero; x1, y1, z1 is the first point, t the time\n[[constraint]]\ntype = "expression"\nconnectors = [{ body = ${JSON.stringify(b[0] ?? 'a')} }]\nformulas = ["x1 - 0.1 * sin(2 * t)"]\n`,
  assemble: (b) =>
    `# the second body stands still until the constraint is met\n[[constraint]]\ntype = "point-to-point"\nconnectors = [{ body = ${JSON.stringify(b[0] ?? 'a')} }, { body = ${JSON.stringify(b[1] ?? 'b')} }]\nassemble = true\n`,
  'moving point': (b) =>
    `# a point of the body follows a point that moves by formulas\n[[constraint]]\ntype = "point-to-point"\nconnectors = [{ body = ${JSON.stringify(b[0] ?? 'a')}, point = [0, 0, 0], lock = "none" }, { function = ["0.2 * cos(t)", 0, "0.2 * sin(t)"] }]\n`,
  coupling: (_, j) =>
    `[[constraint]]\ntype = "coupling"\njoints = ${list(j.length > 1 ? j : ['hinge 1', 'hinge 2'])}\nfactors = [1, -2]\n`,
  differential: (_, j) =>
    `[[constraint]]\ntype = "differential"\njoints = ${list(j.length > 2 ? j : ['left', 'right', 'case'])}\n`,
  cam: (_, j) =>
    `[[constraint]]\ntype = "cam"\njoints = ${list(j.length > 1 ? j : ['cam', 'follower'])}\nprofile = "0.05 * (1 - cos(q))"\n`,
  curve: () => `[[curve]]\npoints = [[0, 0, 0], [0.5, 0, 0.5], [1, 0, 0]]\n`,
  'PID motor': (_, j) =>
    `[[motor]]\njoint = ${JSON.stringify(j[0] ?? 'hinge 1')}\nservo = { position = 0.5, gain = 50, integral_time = 1, derivative_time = 0.1 }  # window = 500: as sampled\n`,
  sensor: (b) => `[[sensor]]\ntype = "position"\nbody = ${JSON.stringify(b[0] ?? 'a')}\n`,
  force: (b) =>
    `[[force]]\nbody = ${JSON.stringify(b[0] ?? 'a')}\nforce = [0, 0, 10]  # N\nfrom = 0\nuntil = 5\n`,
  shape: () =>
    `[[body]]\nshape = { extrude = { profile = [[0, 0], [0.3, 0], [0.3, 0.1], [0.1, 0.1], [0.1, 0.3], [0, 0.3]], height = 0.1 } }\nposition = [0, 0, 0.5]\n`,
};

/** A page with a text that is added to the world. */
function write(state: State, text: string): void {
  const area = h('textarea', {
    className: 'items',
    value: text,
    spellcheck: false,
    'aria-label': 'Items of a scene',
  });
  const d = h(
    'dialog',
    { className: 'help', 'aria-label': 'Items as text' },
    h('h2', {}, 'Items as text'),
    h('p', { className: 'note' }, 'In the words of scene files; what is there can be named.'),
    area,
    h(
      'div',
      { className: 'chips' },
      h(
        'button',
        {
          className: 'primary',
          type: 'button',
          id: 'add-text',
          onclick: () => {
            written = area.value;
            state.connection.command({ do: 'extend', name: 'new items.toml', text: area.value });
            d.close();
          },
        },
        'Add',
      ),
      h('button', { className: 'chip', type: 'button', onclick: () => d.close() }, 'Close'),
    ),
  );
  d.addEventListener('close', () => d.remove());
  document.body.append(d);
  d.showModal();
}

/** What was added last: a mistake is mended, not typed anew. */
let written = '';

/** A button for each template, and one for what was written last. */
export function asText(state: State): HTMLElement[] {
  const chip = (label: string, text: () => string) =>
    h(
      'button',
      {
        className: 'chip',
        type: 'button',
        'data-text': label,
        onclick: () => write(state, text()),
      },
      label,
    );
  const joints = () => state.selected.filter((n) => state.scene?.joints.some((j) => j.name === n));
  return [
    ...Object.entries(TEMPLATES).map(([label, make]) =>
      chip(label, () => make(state.bodies(), joints())),
    ),
    chip('text…', () => written || '[[body]]\nshape = { box = [0.2, 0.2, 0.2] }\n'),
  ];
}
