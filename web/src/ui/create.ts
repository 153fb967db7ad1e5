// New things from the selection: bodies where the view looks, joints, springs and motors between
// what is selected.

import type { EndSpec, MarkerView, ShapeSpec, SolidSpec } from '../bindings';
import { h } from '../dom';
import type { State } from '../state';
import { asText } from './text';

type Three = [number, number, number];

const JOINTS = [
  'hinge',
  'ball',
  'slider',
  'fixed',
  'cylindrical',
  'universal',
  'distance',
  'rope',
  'line',
  'plane',
  'translation',
  'direction',
  'double-rotation',
];

const CONSTRAINTS = [
  'point-to-point',
  'distance',
  'unit-distance',
  'orientation',
  'in-line',
  'ortho',
  'hinge',
  'slide',
  'universal',
  'point-to-path',
  'point-to-function',
  'equal-velocity',
  'equal-velocity-norm',
  'velocity-to-function',
  'point-on-curve',
  'cable',
];
/** Constraints that link a point of a body to a curve, when one is selected (Wagner, table 6.3). */
const ON_CURVES = [
  'point-to-point',
  'distance',
  'unit-distance',
  'point-to-path',
  'point-on-curve',
];

const CONTROLLERS = ['vector', 'spring', 'trajectory', 'pid', 'thruster', 'drag'] as const;

/** Control points of a recorded path, at most. */
const MOST_POINTS = 60;

export function create(
  state: State,
  target: () => Three,
  size: () => number,
  point: (body: string) => Three,
  mark: (marker: MarkerView) => Three,
  say: (text: string) => void,
): HTMLElement {
  const axis = h(
    'select',
    { 'aria-label': 'Axis of the joint' },
    ...['x', 'y', 'z'].map((a) => h('option', { value: a, selected: a === 'y' }, `axis ${a}`)),
  );
  const density = h('input', {
    type: 'number',
    value: '1000',
    min: '0.001',
    step: 'any',
    'aria-label': 'Density in kg/m³',
  });
  const fixed = h('input', { type: 'checkbox', 'aria-label': 'static' });

  const waits = h('input', {
    type: 'checkbox',
    'aria-label': 'new constraints between marks wait',
  });

  const vector = (): Three => [
    axis.value === 'x' ? 1 : 0,
    axis.value === 'y' ? 1 : 0,
    axis.value === 'z' ? 1 : 0,
  ];

  function body(make: (s: number) => SolidSpec): void {
    const solid = make(0.12 * size());
    const shape: ShapeSpec = {
      solid,
      density: Number(density.value) || 1000,
      kind: fixed.checked ? 'static' : 'dynamic',
      position: target(),
      rotation: [0, 0, 0, 1],
      color: null,
    };
    state.connection.command({ do: 'add_body', name: '', shape });
  }

  /** The selected marks as places of bodies, in their order. */
  const ends = (): EndSpec[] =>
    state.markers().map((m) => ({
      body: state.scene?.bodies[m.body]?.name ?? 'world',
      point: m.at,
    }));

  /** Sides of a joint between marks: bodies, anchors, and the axis where one side has two. */
  function sides(): { bodies: [string, string]; anchors: [Three, Three]; axis: Three } | null {
    const marks = state.markers();
    const [a, b] = [marks[0], marks.find((m) => m.body !== marks[0]?.body)];
    if (!a) return null;
    const second = marks.find((m) => m !== a && m.body === a.body);
    const [p, q] = [mark(a), mark(second ?? a)];
    const way = [0, 1, 2].map((k) => q[k]! - p[k]!) as Three;
    const axis = second && Math.hypot(...way) > 0 ? way : vector();
    const name = (m: MarkerView) => state.scene?.bodies[m.body]?.name ?? 'world';
    return b
      ? { bodies: [name(a), name(b)], anchors: [p, mark(b)], axis }
      : { bodies: ['world', name(a)], anchors: [p, p], axis };
  }

  /** The two bodies: both selected ones, or the world and the selected one. */
  function pair(): [string, string] | null {
    const chosen = state.bodies();
    if (chosen.length === 0) {
      say('Select one body (joined to the world) or two');
      return null;
    }
    return chosen.length === 1 ? ['world', chosen[0]!] : [chosen[0]!, chosen[1]!];
  }

  function anchors(bodies: [string, string], apart: boolean): [Three, Three] {
    const [a, b] = bodies.map((n) => (n === 'world' ? null : point(n)));
    const end = b ?? a ?? target();
    if (apart) {
      const start: Three = a ?? [end[0], end[1], end[2] + 0.3 * size()];
      return [start, state.picked && bodies[0] === 'world' ? state.picked : end];
    }
    const middle =
      state.picked ?? (a ? ([0, 1, 2].map((k) => (a[k]! + end[k]!) / 2) as Three) : end);
    return [middle, middle];
  }

  function joint(kind: string): void {
    const marked = sides();
    const bodies = marked?.bodies ?? pair();
    if (!bodies) return;
    const x = marked?.axis ?? vector();
    const axis2: Three | null =
      kind === 'universal' || kind === 'double-rotation' ? [x[2], x[0], x[1]] : null;
    state.connection.command({
      do: 'add_joint',
      name: '',
      kind,
      bodies,
      anchors: marked?.anchors ?? anchors(bodies, kind === 'distance' || kind === 'rope'),
      axis: x,
      axis2,
    });
  }

  function spring(): void {
    const marked = sides();
    const bodies = marked?.bodies ?? pair();
    if (!bodies) return;
    const mass = state.scene?.bodies.find((b) => b.name === bodies[1])?.mass ?? 1;
    // A period of a second, with a tenth of the critical damping.
    const w = 2 * Math.PI;
    state.connection.command({
      do: 'add_spring',
      name: '',
      bodies,
      anchors: marked?.anchors ?? anchors(bodies, true),
      stiffness: mass * w * w,
      damping: 0.2 * mass * w,
    });
  }

  function motor(kind: 'velocity' | 'effort' | 'servo'): void {
    const joint = state.scene?.joints.find((j) => j.name === state.selected.at(-1));
    if (!joint) {
      say('Select a joint to drive');
      return;
    }
    const curve = {
      points: [[0, kind === 'velocity' ? 2 : kind === 'servo' ? 0.5 : 1]] as [number, number][],
      interpolation: 'linear',
    };
    const control =
      kind === 'velocity'
        ? { velocity: curve }
        : kind === 'effort'
          ? { effort: curve }
          : { servo: [curve, 50, 0.1] as [typeof curve, number, number] };
    state.connection.command({
      do: 'add_motor',
      name: '',
      motor: {
        joint: joint.name,
        coordinate: null,
        control,
        max_effort: kind === 'velocity' ? 100 : null,
      },
    });
  }

  /** A body with what it is linked to: a curve, another body, or a point of space. */
  function link(curves: boolean): { bodies: [string, string]; points: [Three, Three] } | null {
    const chosen = state.bodies();
    const first = chosen[0];
    if (!first) {
      say(
        'Select a body, and what it is to be linked to: another body or a curve; ' +
          'a body alone is linked to a point in space',
      );
      return null;
    }
    const curve = curves ? state.curve() : null;
    const at = state.picked && chosen.length === 1 && !curve ? state.picked : point(first);
    if (curve) return { bodies: [first, curve], points: [at, at] };
    return chosen.length > 1
      ? { bodies: [first, chosen[1]!], points: [point(first), point(chosen[1]!)] }
      : { bodies: [first, 'world'], points: [at, at] };
  }

  function constraint(kind: string): void {
    const places = ends();
    if (places.length > 0) {
      // marks come first, then a curve or what is missing
      const curve = state.curve();
      if (curve && places.length === 1)
        places.push({ body: curve, point: mark(state.markers()[0]!) });
      state.connection.command({
        do: 'connect',
        name: '',
        kind,
        ends: places,
        active: !waits.checked,
      });
      if (waits.checked) say('It waits: switch it on by its property "active"');
      return;
    }
    if (
      state.curve() ||
      ['point-to-path', 'point-on-curve', 'point-to-function', 'velocity-to-function'].includes(
        kind,
      )
    ) {
      const l = link(ON_CURVES.includes(kind));
      if (l)
        state.connection.command({
          do: 'add_constraint',
          name: '',
          kind,
          bodies: l.bodies,
          points: l.points,
          axis: vector(),
        });
      return;
    }
    const bodies = pair();
    if (!bodies) return;
    const apart =
      kind === 'distance' ||
      kind === 'cable' ||
      kind === 'unit-distance' ||
      kind === 'equal-velocity' ||
      kind === 'equal-velocity-norm';
    state.connection.command({
      do: 'add_constraint',
      name: '',
      kind,
      bodies,
      points: anchors(bodies, apart),
      axis: vector(),
    });
    if (kind === 'equal-velocity-norm') lagrangeOnly();
  }

  function controller(kind: (typeof CONTROLLERS)[number]): void {
    const l = link(true);
    if (!l) return;
    const [a, b] = l.points;
    // A goal in space lies above the body: where it is, nothing would happen.
    const goal: Three = l.bodies[1] === 'world' ? [a[0], a[1], a[2] + 0.3 * size()] : b;
    state.connection.command({
      do: 'add_controller',
      name: '',
      kind,
      bodies: l.bodies,
      points: [a, goal],
    });
  }

  // Where a body was becomes a curve (W-134).
  let path: { body: string; points: Three[] } | null = null;
  const recorder = h(
    'button',
    {
      className: 'chip',
      type: 'button',
      id: 'record-path',
      'aria-pressed': 'false',
      onclick: () => (path ? stop() : begin()),
    },
    'record path',
  );
  function begin(): void {
    const body = state.bodies().at(-1);
    if (!body) {
      say('Select the body whose path is to be recorded');
      return;
    }
    path = { body, points: [point(body)] };
    recorder.setAttribute('aria-pressed', 'true');
    recorder.textContent = `stop recording ${body}`;
  }
  function stop(): void {
    const points = path?.points ?? [];
    path = null;
    recorder.setAttribute('aria-pressed', 'false');
    recorder.textContent = 'record path';
    if (points.length < 2) {
      say('It did not move: there is no path');
      return;
    }
    // Evenly chosen, with both ends.
    const n = Math.min(points.length, MOST_POINTS);
    const chosen = Array.from(
      { length: n },
      (_, k) => points[Math.round((k * (points.length - 1)) / (n - 1))]!,
    );
    state.connection.command({ do: 'add_curve', name: '', points: chosen });
    say(`A curve of ${n} points`);
  }
  state.on('frame', () => {
    if (!path) return;
    const [now, last] = [point(path.body), path.points.at(-1)!];
    if (Math.hypot(now[0] - last[0], now[1] - last[1], now[2] - last[2]) > 0.01 * size())
      path.points.push(now);
  });

  function field(kind: 'gravity' | 'friction' | 'radial'): void {
    const [x, y, z] = vector();
    // Gravity sideways on top of the world's; a pull to where the view looks.
    const v: Three = kind === 'gravity' ? [2 * x, 2 * y, 2 * z] : target();
    state.connection.command({
      do: 'add_field',
      name: '',
      kind,
      strength: kind === 'friction' ? 0.5 : -1,
      vector: v,
    });
  }

  function lagrangeOnly(): void {
    if (state.scene && state.scene.method !== 'lagrange')
      say('Equal speeds are held by the method "lagrange": set it under World and method');
  }

  const chip = (label: string, onclick: () => void) =>
    h('button', { className: 'chip', type: 'button', onclick, 'data-create': label }, label);
  return h(
    'div',
    { className: 'pane create' },
    h('h3', {}, 'Bodies'),
    h(
      'div',
      { className: 'chips' },
      chip('box', () => body((s) => ({ box: [s, s, s] }))),
      chip('sphere', () => body((s) => ({ sphere: s / 2 }))),
      chip('cylinder', () => body((s) => ({ cylinder: [s / 2, s] }))),
      chip('capsule', () => body((s) => ({ capsule: [s / 3, s] }))),
      chip('cone', () => body((s) => ({ cone: [s / 2, s] }))),
      chip('ellipsoid', () => body((s) => ({ ellipsoid: [s, s / 2, s / 3] }))),
      chip('disc', () => body((s) => ({ disc: [s / 2, s / 5, s / 20] }))),
      chip('torus', () => body((s) => ({ torus: [s / 2, s / 6] }))),
      chip('point', () => body(() => 'point')),
    ),
    h(
      'label',
      { className: 'property' },
      h('span', {}, 'density', h('small', {}, ' kg/m³')),
      density,
    ),
    h('label', { className: 'property' }, h('span', {}, 'static'), fixed),
    h('h3', {}, 'Joints between the selected bodies'),
    h('label', { className: 'property' }, h('span', {}, 'about or along'), axis),
    h('div', { className: 'chips' }, ...JOINTS.map((k) => chip(k, () => joint(k)))),
    h('h3', {}, 'Forces'),
    h(
      'div',
      { className: 'chips' },
      chip('spring', spring),
      chip('velocity motor', () => motor('velocity')),
      chip('torque motor', () => motor('effort')),
      chip('servo', () => motor('servo')),
    ),
    h('h3', {}, 'Constraints on the selected bodies, marks and curve'),
    h('label', { className: 'property' }, h('span', {}, 'begin switched off'), waits),
    h(
      'div',
      { className: 'chips' },
      ...CONSTRAINTS.map((k) =>
        h(
          'button',
          { className: 'chip', type: 'button', 'data-constraint': k, onclick: () => constraint(k) },
          k,
        ),
      ),
    ),
    h('h3', {}, 'Controllers on the selected body'),
    h(
      'div',
      { className: 'chips' },
      ...CONTROLLERS.map((k) =>
        h(
          'button',
          { className: 'chip', type: 'button', 'data-controller': k, onclick: () => controller(k) },
          k,
        ),
      ),
    ),
    h('h3', {}, 'Curves'),
    h('div', { className: 'chips' }, recorder),
    h('h3', {}, 'Everything else'),
    h('div', { className: 'chips' }, ...asText(state)),
    h('h3', {}, 'Fields'),
    h(
      'div',
      { className: 'chips' },
      ...(['gravity', 'friction', 'radial'] as const).map((k) =>
        h(
          'button',
          { className: 'chip', type: 'button', 'data-field': k, onclick: () => field(k) },
          k,
        ),
      ),
    ),
    h(
      'p',
      { className: 'note' },
      'New objects appear where you clicked last, or between the marks that are selected (the ' +
        'tool for points makes them; two on one body are an axis). One selected body is joined to the world; ' +
        'a body and a curve are linked to each other. Goals, places on curves and formulas are ' +
        'properties of the new object.',
    ),
  );
}
