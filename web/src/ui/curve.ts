// A value over time, edited by its points: click to add, drag to move, double click to remove.

import type { ScheduleSpec } from '../bindings';
import { h, short } from '../dom';

const [W, H, PAD] = [260, 130, 22];

export function curveEditor(
  spec: ScheduleSpec,
  unit: string,
  change: (s: ScheduleSpec) => void,
): HTMLElement {
  const points = spec.points.map((p): [number, number] => [p[0], p[1]]);
  let interpolation = spec.interpolation;
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', `0 0 ${W} ${H}`);
  svg.setAttribute('class', 'curve');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', 'Curve over time');
  let range: [number, number, number, number] = [0, 1, 0, 1];

  function fit(): void {
    const [ts, ys] = [points.map((p) => p[0]), points.map((p) => p[1])];
    const [t0, t1] = [Math.min(0, ...ts), Math.max(1, ...ts.map((t) => t * 1.2))];
    const [lo, hi] = [Math.min(0, ...ys), Math.max(0, ...ys)];
    const room = hi > lo ? 0.15 * (hi - lo) : 1;
    range = [t0, t1, lo - room, hi + room];
  }
  const x = (t: number) => PAD + ((t - range[0]) / (range[1] - range[0])) * (W - 2 * PAD);
  const y = (v: number) => H - PAD - ((v - range[2]) / (range[3] - range[2])) * (H - 2 * PAD);
  const at = (e: PointerEvent | MouseEvent): [number, number] => {
    const r = svg.getBoundingClientRect();
    const px = ((e.clientX - r.left) / r.width) * W;
    const py = ((e.clientY - r.top) / r.height) * H;
    const t = range[0] + ((px - PAD) / (W - 2 * PAD)) * (range[1] - range[0]);
    return [Math.max(0, t), range[2] + ((H - PAD - py) / (H - 2 * PAD)) * (range[3] - range[2])];
  };
  const send = () => change({ points: points.map((p) => [p[0], p[1]]), interpolation });

  function value(t: number): number {
    const next = points.findIndex((p) => p[0] > t);
    if (next === 0) return points[0]![1];
    if (next < 0) return points.at(-1)![1];
    const [[a, u], [b, v]] = [points[next - 1]!, points[next]!];
    const s = (t - a) / (b - a);
    if (interpolation === 'hold') return u;
    return u + (interpolation === 'smooth' ? s * s * (3 - 2 * s) : s) * (v - u);
  }

  function element(name: string, attributes: Record<string, string | number>): SVGElement {
    const e = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, String(v));
    svg.append(e);
    return e;
  }

  function draw(): void {
    svg.replaceChildren();
    element('line', { x1: PAD, x2: W - PAD, y1: y(0), y2: y(0), class: 'zero' });
    const path = Array.from({ length: 121 }, (_, k) => {
      const t = range[0] + (k / 120) * (range[1] - range[0]);
      return `${k ? 'L' : 'M'}${x(t).toFixed(1)} ${y(value(t)).toFixed(1)}`;
    });
    element('path', { d: path.join(''), class: 'line' });
    points.forEach((p, k) => {
      const dot = element('circle', { cx: x(p[0]), cy: y(p[1]), r: 5, class: 'dot' });
      const title = document.createElementNS('http://www.w3.org/2000/svg', 'title');
      title.textContent = `${short(p[0])} s, ${short(p[1])} ${unit}`;
      dot.append(title);
      dot.addEventListener('pointerdown', (e) => {
        e.stopPropagation();
        svg.setPointerCapture(e.pointerId);
        const move = (m: PointerEvent) => {
          const [t, v] = at(m);
          const low = k > 0 ? points[k - 1]![0] : 0;
          const high = k < points.length - 1 ? points[k + 1]![0] : Infinity;
          points[k] = [Math.min(Math.max(t, low), high), v];
          draw();
        };
        const up = () => {
          svg.removeEventListener('pointermove', move);
          svg.removeEventListener('pointerup', up);
          fit();
          draw();
          send();
        };
        svg.addEventListener('pointermove', move);
        svg.addEventListener('pointerup', up);
      });
      dot.addEventListener('dblclick', () => {
        if (points.length < 2) return;
        points.splice(k, 1);
        fit();
        draw();
        send();
      });
    });
    const label = (text: string, px: number, py: number, anchor: string) => {
      element('text', { x: px, y: py, 'text-anchor': anchor }).textContent = text;
    };
    label(`${short(range[1], 3)} s`, W - PAD, H - 6, 'end');
    label(`${short(range[3], 3)} ${unit}`, PAD, 14, 'start');
  }
  svg.addEventListener('click', (e) => {
    if ((e.target as Element).tagName === 'circle') return;
    points.push(at(e));
    points.sort((a, b) => a[0] - b[0]);
    fit();
    draw();
    send();
  });
  fit();
  draw();
  const choice = h(
    'select',
    {
      'aria-label': 'Between the points',
      onchange: (e: Event) => {
        interpolation = (e.target as HTMLSelectElement).value;
        draw();
        send();
      },
    },
    ...['hold', 'linear', 'smooth'].map((w) =>
      h('option', { value: w, selected: w === interpolation }, w),
    ),
  );
  return h(
    'div',
    { className: 'curve-editor' },
    svg as unknown as Node,
    choice,
    h('small', {}, 'click adds, drag moves, double click removes'),
  );
}
