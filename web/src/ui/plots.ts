// Live plots: energy, joint error, and any quantity by its path. Pin, zoom, export.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Column } from '../bindings';
import { download, h, iconButton, short } from '../dom';
import type { Frame } from '../frame';
import type { State } from '../state';

/** Most points of a line; older ones leave. */
const MOST = 1500;
const COLORS = ['#5b9dff', '#ff8a3d', '#3ddc97', '#d98cff', '#ffd24d', '#6fd6ff', '#ff6b8b'];

class Plot {
  readonly element: HTMLElement;
  private readonly data: number[][];
  private chart: uPlot | null = null;
  private pinned = false;
  private readonly holder = h('div', { className: 'chart' });
  private readonly legend = h('div', { className: 'legend' });
  private readonly values: HTMLElement[] = [];
  private readonly pinButton: HTMLButtonElement;

  constructor(
    readonly title: string,
    private readonly names: string[],
    readonly path: string,
    remove: (() => void) | null,
  ) {
    this.data = [[], ...names.map(() => [] as number[])];
    this.pinButton = h(
      'button',
      {
        className: 'chip',
        type: 'button',
        'aria-pressed': 'false',
        title: 'Hold still; dragging over the plot zooms, a double click shows all',
        onclick: () => this.pin(!this.pinned),
      },
      'Pin',
    );
    names.forEach((name, k) => {
      const mark = h('i', {});
      mark.style.background = COLORS[k % COLORS.length]!;
      this.values.push(h('b', {}, ''));
      this.legend.append(h('span', {}, mark, name, this.values[k]!));
    });
    this.element = h(
      'section',
      { className: 'plot', 'aria-label': `Plot of ${title}`, 'data-path': path },
      h(
        'header',
        {},
        h('h3', {}, title),
        this.pinButton,
        h(
          'button',
          {
            className: 'chip',
            type: 'button',
            'aria-label': `${title} as CSV`,
            onclick: () => this.csv(),
          },
          'CSV',
        ),
        h(
          'button',
          {
            className: 'chip',
            type: 'button',
            'aria-label': `${title} as PNG`,
            onclick: () => this.png(),
          },
          'PNG',
        ),
        remove ? iconButton('close', `Remove the plot of ${title}`, remove) : null,
      ),
      this.holder,
      this.legend,
    );
  }

  private pin(on: boolean): void {
    this.pinned = on;
    this.pinButton.setAttribute('aria-pressed', String(on));
    if (!on) this.draw();
  }

  /** The values at a place of the data; the newest when none is pointed at. */
  private tell(place: number | null | undefined): void {
    const k = place ?? this.length - 1;
    this.values.forEach((e, i) => {
      const x = this.data[i + 1]![k];
      e.textContent = x === undefined ? '' : short(x, 3);
    });
  }

  /** Draws anew with the page's present colours. */
  restyle(): void {
    this.chart?.destroy();
    this.chart = null;
    this.draw();
  }

  /** What is shown: from and to, s. */
  get shown(): [number, number] {
    const x = this.chart?.scales.x;
    return [x?.min ?? NaN, x?.max ?? NaN];
  }

  /** Starts anew when the columns are others. */
  fits(names: string[]): boolean {
    return names.length === this.names.length && names.every((n, k) => n === this.names[k]);
  }

  add(time: number, values: number[]): void {
    const times = this.data[0]!;
    // Going back in time clears the future.
    while (times.length && times.at(-1)! >= time) for (const column of this.data) column.pop();
    times.push(time);
    values.forEach((v, k) => this.data[k + 1]!.push(v));
    if (times.length > MOST) for (const column of this.data) column.splice(0, times.length - MOST);
  }

  draw(): void {
    if (this.pinned || !this.element.isConnected) return;
    const width = this.holder.clientWidth;
    if (width < 20) return;
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--ink-2').trim();
    const axis = {
      stroke: ink,
      grid: { stroke: style.getPropertyValue('--line').trim(), width: 1 },
      ticks: { show: false },
      font: '11px system-ui',
      size: 24,
    };
    if (!this.chart) {
      this.chart = new uPlot(
        {
          width,
          height: 130,
          scales: { x: { time: false } },
          legend: { show: false },
          // Who zooms wants to look: the plot then holds still.
          hooks: {
            setSelect: [(u) => u.select.width > 0 && this.pin(true)],
            setCursor: [(u) => this.tell(u.cursor.idx)],
          },
          axes: [
            axis,
            { ...axis, size: 52, values: (_u: uPlot, v: number[]) => v.map((x) => short(x, 3)) },
          ],
          series: [
            {},
            ...this.names.map((label, k) => ({
              label,
              stroke: COLORS[k % COLORS.length]!,
              width: 1.5,
              points: { show: false },
            })),
          ],
        },
        this.data as uPlot.AlignedData,
        this.holder,
      );
    }
    if (this.chart.width !== width) this.chart.setSize({ width, height: 130 });
    this.chart.setData(this.data as uPlot.AlignedData);
    this.tell(this.chart.cursor.idx);
  }

  /** The newest value of each line. */
  last(): number[] {
    return this.data.slice(1).map((c) => c.at(-1) ?? NaN);
  }

  get length(): number {
    return this.data[0]!.length;
  }

  private csv(): void {
    const head = ['time [s]', ...this.names].map((n) => `"${n}"`).join(',');
    const rows = this.data[0]!.map((_, k) => this.data.map((c) => c[k]).join(','));
    download(`${this.title.replace(/[^\w.-]+/g, '-')}.csv`, [head, ...rows].join('\n') + '\n');
  }

  /** The plot with its title and what the lines are, on the page's ground. */
  private png(): void {
    const plot = this.holder.querySelector('canvas');
    if (!plot) return;
    const style = getComputedStyle(document.documentElement);
    const color = (name: string) => style.getPropertyValue(name).trim();
    const scale = plot.width / Math.max(1, this.holder.clientWidth);
    const [head, row] = [26 * scale, 16 * scale];
    const canvas = h('canvas', {
      width: plot.width,
      height: head + plot.height + row * this.names.length + 8 * scale,
    });
    const c = canvas.getContext('2d')!;
    c.fillStyle = color('--bg');
    c.fillRect(0, 0, canvas.width, canvas.height);
    c.drawImage(plot, 0, head);
    c.fillStyle = color('--ink');
    c.font = `600 ${13 * scale}px system-ui, sans-serif`;
    c.fillText(this.title, 10 * scale, 18 * scale);
    c.font = `${11 * scale}px system-ui, sans-serif`;
    this.names.forEach((name, k) => {
      const y = head + plot.height + row * (k + 0.7);
      c.fillStyle = COLORS[k % COLORS.length]!;
      c.fillRect(10 * scale, y - 8 * scale, 10 * scale, 8 * scale);
      c.fillStyle = color('--ink-2');
      c.fillText(name, 26 * scale, y);
    });
    canvas.toBlob((blob) => blob && download(`${this.title.replace(/[^\w.-]+/g, '-')}.png`, blob));
  }
}

export class Plots {
  readonly element: HTMLElement;
  private readonly list = h('div', { className: 'plots' });
  private readonly worst = h('ol', {
    className: 'worst',
    'aria-label': 'Joints with the largest errors',
  });
  private readonly energy = new Plot(
    'Energy',
    ['kinetic [J]', 'potential [J]', 'spring [J]', 'total [J]'],
    'energy',
    null,
  );
  private readonly error = new Plot(
    'Joint error',
    ['gap [m]', 'misalignment [rad]'],
    'error',
    null,
  );
  private more = new Map<string, Plot>();
  private columns: Column[] = [];
  private revision = 0;
  private ticks = 0;

  constructor(private readonly state: State) {
    this.list.append(this.energy.element, this.error.element);
    this.element = h(
      'div',
      { className: 'pane' },
      this.list,
      h('h3', {}, 'Worst joints'),
      this.worst,
    );
  }

  /** Adds a plot of a path. */
  add(path: string): void {
    if (this.state.quantities.includes(path)) return;
    this.state.quantities.push(path);
    this.state.subscribe();
  }

  private remove(path: string): void {
    this.state.quantities = this.state.quantities.filter((q) => q !== path);
    this.more.get(path)?.element.remove();
    this.more.delete(path);
    this.state.subscribe();
  }

  setColumns(revision: number, columns: Column[]): void {
    this.revision = revision;
    this.columns = columns;
    for (const path of this.state.quantities) {
      const mine = columns.filter((c) => c.path === path);
      const names = mine.map((c) => (c.unit ? `${c.name} [${c.unit}]` : c.name));
      const old = this.more.get(path);
      if (old?.fits(names) || names.length === 0) continue;
      old?.element.remove();
      const plot = new Plot(path, names, path, () => this.remove(path));
      this.more.set(path, plot);
      this.list.prepend(plot.element);
    }
  }

  frame(f: Frame): void {
    const [k, p, s] = f.energy;
    this.energy.add(f.time, [k, p, s, k + p + s]);
    this.error.add(f.time, [...f.worst]);
    if (f.samples && f.samples[0] === this.revision) {
      const width = 1 + this.columns.length;
      for (let i = 1; i + width <= f.samples.length; i += width) {
        const row = f.samples.subarray(i, i + width);
        for (const [path, plot] of this.more) {
          const values = this.columns.flatMap((c, n) => (c.path === path ? [row[n + 1]!] : []));
          if (values.length) plot.add(row[0]!, values);
        }
      }
    }
    if (++this.ticks % 8) return;
    for (const plot of [this.energy, this.error, ...this.more.values()]) plot.draw();
    this.offenders(f);
  }

  private offenders(f: Frame): void {
    const scene = this.state.scene;
    if (!f.errors || !scene) return;
    const [tp, ta] = scene.tolerance;
    const rows = scene.joints.map((j, k) => ({
      name: j.name,
      gap: f.errors![2 * k]!,
      tilt: f.errors![2 * k + 1]!,
    }));
    rows.sort((a, b) => Math.max(b.gap / tp, b.tilt / ta) - Math.max(a.gap / tp, a.tilt / ta));
    this.worst.replaceChildren(
      ...rows
        .slice(0, 6)
        .map((r) =>
          h(
            'li',
            {},
            h(
              'button',
              { className: 'link', type: 'button', onclick: () => this.state.select([r.name]) },
              r.name,
            ),
            h('small', {}, ` ${short(r.gap, 2)} m, ${short(r.tilt, 2)} rad`),
          ),
        ),
    );
  }

  /** The page has other colours now. */
  restyle(): void {
    for (const plot of [this.energy, this.error, ...this.more.values()]) plot.restyle();
  }

  /** For tests: path of each plot with its number of points and newest values. */
  summary(): Record<string, { points: number; last: number[]; shown: [number, number] }> {
    const all: [string, Plot][] = [['energy', this.energy], ['error', this.error], ...this.more];
    return Object.fromEntries(
      all.map(([path, plot]) => [
        path,
        { points: plot.length, last: plot.last(), shown: plot.shown },
      ]),
    );
  }
}
