// What the page knows, and who wants to hear of changes.

import type { ClientInfo, Inspection, MarkerView, SceneView, Trouble } from './bindings';
import type { Connection } from './connection';
import type { Frame } from './frame';

type Topic =
  | 'scene'
  | 'selection'
  | 'clients'
  | 'frame'
  | 'tool'
  | 'properties'
  | 'layers'
  | 'troubles'
  | 'hidden'
  | 'events';

/** Most events that are kept for the timeline. */
const MOST_EVENTS = 500;

export class State {
  connection!: Connection;
  scene: SceneView | null = null;
  frame: Frame | null = null;
  clients: ClientInfo[] = [];
  /** How the last steps ended; both empty when all is well. */
  verdict = { status: '', text: '' };
  /** What is wrong with single items, by name. */
  troubles = new Map<string, Trouble>();
  /** What happened, oldest first. */
  events: { time: number; text: string }[] = [];
  /** What this page does not show; others may see it. */
  hidden = new Set<string>();
  /** Whether handles move along the axes of the body instead of those of the world. */
  ownFrame = false;
  me = 0;
  selected: string[] = [];
  inspection: Inspection | null = null;
  tool = 'grab';
  strength = 1;
  /** Opens files of this machine in an engine of the page; none behind a server. */
  take: ((files: Iterable<File>) => Promise<void>) | null = null;
  /** Point of the last pick, world coordinates. */
  picked: [number, number, number] | null = null;
  quantities: string[] = [];
  /** Layers that frames must carry. */
  layers = { velocities: false, reactions: false, errors: false, contacts: false };
  private readonly listeners = new Map<Topic, (() => void)[]>();

  on(topic: Topic, listener: () => void): void {
    this.listeners.set(topic, [...(this.listeners.get(topic) ?? []), listener]);
  }

  tell(topic: Topic): void {
    for (const listener of this.listeners.get(topic) ?? []) listener();
  }

  select(names: string[]): void {
    this.selected = names;
    this.inspection = null;
    this.tell('selection');
    this.inspect();
  }

  toggle(name: string): void {
    this.select(
      this.selected.includes(name)
        ? this.selected.filter((n) => n !== name)
        : [...this.selected, name],
    );
  }

  /** Asks for the properties of what was selected last; the world itself when nothing is. */
  inspect(): void {
    this.connection.request({ ask: 'inspect', object: this.selected.at(-1) ?? 'world' });
  }

  subscribe(): void {
    this.connection.message({
      type: 'subscribe',
      layers: this.layers,
      quantities: this.quantities,
    });
  }

  hide(names: string[], hidden: boolean): void {
    for (const name of names) hidden ? this.hidden.add(name) : this.hidden.delete(name);
    this.tell('hidden');
  }

  isLocked(name: string): boolean {
    return this.scene?.locked.includes(name) ?? false;
  }

  /** Something has happened; the same again at once is not told twice. */
  note(time: number, text: string): void {
    const last = this.events.at(-1);
    if (last && last.text === text && Math.abs(last.time - time) < 1) return;
    this.events.push({ time, text });
    if (this.events.length > MOST_EVENTS) this.events.shift();
    this.tell('events');
  }

  /** The selected markers, in the order they were selected. */
  markers(): MarkerView[] {
    const all = this.scene?.markers ?? [];
    return this.selected.flatMap((n) => all.filter((m) => m.name === n));
  }

  /** Everything that has a name in the world. */
  names(): string[] {
    const s = this.scene;
    return s
      ? [
          s.bodies,
          s.colliders,
          s.joints,
          s.springs,
          s.motors,
          s.elements,
          s.curves,
          s.fields,
          s.procedures,
          s.sensors,
          s.markers,
        ]
          .flatMap((list) => list.map((o) => o.name))
          .concat(s.forces)
      : [];
  }

  /** The curve that was selected last. */
  curve(): string | null {
    return this.selected.filter((n) => this.scene?.curves.some((c) => c.name === n)).at(-1) ?? null;
  }

  /** Names of selected bodies, in the order they were selected. */
  bodies(): string[] {
    return this.selected.filter((n) => this.scene?.bodies.some((b) => b.name === n));
  }
}
