// The bar of time: run, pause, step, speed, restart, undo, and the way back.

import { h, icon, iconButton, short } from '../dom';
import type { Frame } from '../frame';
import type { State } from '../state';
import { Marks } from './events';

const SPEEDS: [string, number | null][] = [
  ['1/20', 0.05],
  ['1/5', 0.2],
  ['1/2', 0.5],
  ['1', 1],
  ['2', 2],
  ['5', 5],
  ['max', null],
];

export class TimeBar {
  readonly element: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly clock = h(
    'output',
    { className: 'clock', 'aria-label': 'Simulated time' },
    '0.00 s',
  );
  private readonly slider = h('input', {
    type: 'range',
    min: '0',
    max: '0',
    step: 'any',
    value: '0',
    'aria-label': 'Go back in time',
    id: 'rewind',
  });
  private readonly speed: HTMLSelectElement;
  private readonly undo: HTMLButtonElement;
  private readonly redo: HTMLButtonElement;
  private sliding = 0;
  private readonly marks: Marks;

  constructor(private readonly state: State) {
    const c = () => state.connection;
    this.marks = new Marks(state);
    this.play = iconButton('play', 'Run or pause (Space)', () => this.toggle(), 'play');
    this.undo = iconButton(
      'undo',
      'Undo the last edit (Ctrl Z)',
      () => c().command({ do: 'undo' }),
      'undo',
    );
    this.redo = iconButton('redo', 'Redo (Ctrl Y)', () => c().command({ do: 'redo' }), 'redo');
    this.speed = h(
      'select',
      {
        'aria-label': 'Speed against real time',
        id: 'speed',
        onchange: () => {
          c().control({ do: 'speed', factor: SPEEDS[this.speed.selectedIndex]![1] });
          // So that the next space bar runs or pauses.
          this.speed.blur();
        },
      },
      ...SPEEDS.map(([label, value]) =>
        h('option', { selected: value === 1 }, value === null ? 'max' : `${label}×`),
      ),
    );
    this.slider.addEventListener('input', () => {
      this.sliding = performance.now();
      c().command({ do: 'rewind', time: Number(this.slider.value) });
    });
    this.element = h(
      'footer',
      { className: 'bar time', role: 'toolbar', 'aria-label': 'Time' },
      iconButton(
        'restart',
        'Back to the start (Home)',
        () => c().command({ do: 'restart' }),
        'restart',
      ),
      this.play,
      iconButton('step', 'One step (.)', () => c().control({ do: 'step', count: 1 }), 'step'),
      this.speed,
      this.clock,
      h('div', { className: 'past' }, this.marks.element, this.slider),
      this.undo,
      this.redo,
    );
  }

  toggle(): void {
    this.state.connection.control({ do: this.state.frame?.running ? 'pause' : 'run' });
  }

  frame(f: Frame): void {
    const name = f.running ? 'pause' : 'play';
    if (this.play.dataset.icon !== name) {
      this.play.dataset.icon = name;
      this.play.replaceChildren(icon(name) as unknown as Node);
    }
    this.clock.textContent = `${f.time.toFixed(2)} s`;
    this.clock.title = `step ${f.step}, ${short(f.stepSize, 3)} s each`;
    // Someone else may have chosen it; 0 is as fast as it goes.
    const chosen = SPEEDS.findIndex(
      ([, factor]) => Math.abs((factor ?? 0) - f.speed) < 1e-3 * f.speed + 1e-9,
    );
    if (chosen >= 0 && document.activeElement !== this.speed) this.speed.selectedIndex = chosen;
    this.undo.disabled = f.undo === 0;
    this.redo.disabled = f.redo === 0;
    if (performance.now() - this.sliding > 400) {
      this.slider.min = String(f.history[0]);
      this.slider.max = String(Math.max(f.history[1], f.time));
      this.slider.value = String(f.time);
    }
    this.marks.update(f.history[0], Math.max(f.history[1], f.time));
  }
}
