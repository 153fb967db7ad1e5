// Worlds, bodies, joints and motors by name, with the names of the Python package: a thin layer
// over the module's own classes. The small engine runs most scenes; robots, meshes from files and
// scripts need the whole one, which `load`, `parse` and `complete` fetch.

import start, * as small from './kreisel.js';
import type { Builders, Properties } from './properties.js';

/** What the two builds of the module have in common. */
type Module = Pick<typeof small, 'Engine' | 'Files' | 'kinds' | 'lacks' | 'lastPanic' | 'nearest'>;
type Engine = InstanceType<typeof small.Engine>;
/** What scenes are made of. */
export type Json =
  | string
  | number
  | boolean
  | null
  | ArrayLike<number>
  | readonly Json[]
  | { [key: string]: Json | undefined };
/** Files that a scene reads, by name: texts or bytes. */
export type FileTable = Record<string, string | Uint8Array>;

let module: Module = small;

/** Why something was refused, in words: with file, line and help where a scene is wrong. */
export class KreiselError extends Error {
  override name = 'KreiselError';
}

/** Loads the engine, once. Without a bundler or a browser: `init({ module_or_path: bytes })`. */
export default async function init(source?: Parameters<typeof start>[0]): Promise<void> {
  await start(source);
}

/** Loads the whole engine, with importers and scripts, for all worlds that are made from now on. */
export async function complete(source?: Parameters<typeof start>[0]): Promise<void> {
  if (module !== small) return;
  const whole = await import('./full/kreisel.js');
  await whole.default(source);
  module = whole as unknown as Module;
}

/** Does something with the engine; what it refuses is a `KreiselError`. */
function told<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError)
      throw new KreiselError(`the engine has failed: ${module.lastPanic() || error.message}`);
    throw new KreiselError((error as Error).message);
  }
}

function engine(name: string, table: FileTable): Engine {
  const files = new module.Files();
  const encoder = new TextEncoder();
  for (const [key, content] of Object.entries(table))
    files.insert(key, typeof content === 'string' ? encoder.encode(content) : content);
  return told(() => new module.Engine(name, files, false));
}

/** Reads a scene of these files: TOML, JSON, URDF or MJCF. */
export async function load(name: string, files: FileTable): Promise<World> {
  try {
    return World.of(engine(name, files));
  } catch (error) {
    if (module !== small || !small.lacks((error as Error).message)) throw error;
    await complete();
    return World.of(engine(name, files));
  }
}

/** Reads a scene from its text. */
export function parse(text: string, name = 'scene.toml'): Promise<World> {
  return load(name, { [name]: text });
}

/** Texts in which typed arrays are lists. */
function json(value: unknown): string {
  return JSON.stringify(value, (_, v: unknown) => {
    if (ArrayBuffer.isView(v)) return Array.from(v as unknown as ArrayLike<number>);
    if (v instanceof Item) return v.name;
    if (typeof v === 'number' && !Number.isFinite(v))
      throw new KreiselError(`a scene has finite numbers only, not ${v}`);
    return v;
  });
}

interface Property {
  key: string;
  doc: string;
  unit: string;
  field: unknown;
  value: Record<string, unknown>;
}

/** A property's key as an attribute: `effort now` is `effort_now`. */
const attribute = (key: string) => key.replace(/[ -]/g, '_');

const three = (v: ArrayLike<number>): [number, number, number] => [v[0]!, v[1]!, v[2]!];

/** A value as it comes in a list of properties. */
function read(value: Record<string, unknown>): unknown {
  const [[kind, content]] = Object.entries(value) as [[string, unknown]];
  return kind === 'vector' ? Float64Array.from(content as number[]) : content;
}

/** A value as commands have it, in the form that the property has now. */
function write(known: Property, value: unknown): Record<string, unknown> {
  const field =
    typeof known.field === 'string' ? known.field : Object.keys(known.field as object)[0];
  if (field === 'fixed') throw new KreiselError(`"${known.key}" is measured and cannot be set`);
  if (typeof value === 'boolean') return { toggle: value };
  if (field === 'number') {
    if (value === null || value === undefined) return { number: null };
    if (typeof value !== 'number')
      throw new KreiselError(`"${known.key}" is a number, not ${String(value)}`);
    return { number: value };
  }
  if (field === 'curve' && typeof value === 'number')
    return { curve: { points: [[0, value]], interpolation: 'hold' } };
  if (field === 'curve' && typeof value === 'object') return { curve: value };
  if (typeof value === 'string') return { text: value };
  if (typeof value === 'number') return { text: String(value) };
  const list = value as ArrayLike<number>;
  if (field === 'vector' && list?.length === 3) return { vector: three(list) };
  return { text: json(value) };
}

/** An item of a world. It knows its name only: it speaks of whatever has that name now. */
export class Item {
  constructor(
    readonly world: World,
    /** What it is: "body", "joint", … */
    readonly item_kind: string,
    public readonly name: string,
  ) {}

  /** Its properties as the engine lists them. */
  properties(): Property[] {
    const found = told(() => this.world.engine.inspect(this.name));
    return (JSON.parse(found) as { properties: Property[] }).properties;
  }

  private find(key: string): Property {
    const all = this.properties();
    const found = all.find((p) => p.key === key || attribute(p.key) === key);
    if (found) return found;
    const names = all.map((p) => attribute(p.key));
    const near = module.nearest(key, names);
    const help = near ? `did you mean "${near}"?` : `it has ${names.join(', ')}`;
    throw new KreiselError(`"${this.name}" has no property "${key}"; ${help}`);
  }

  /** The value of a property ("limits.angle.max") or of a measured quantity. */
  get(key: string): unknown {
    try {
      return read(this.find(key).value);
    } catch (error) {
      try {
        return this.world.measure(`${this.name}.${key}`);
      } catch {
        throw error;
      }
    }
  }

  /** Sets a property by its key. A refused value changes nothing. */
  set(key: string, value: unknown): void {
    const known = this.find(key);
    this.world.apply({ do: 'set', object: this.name, key: known.key, value: write(known, value) });
  }
}

/** Properties whose keys begin alike: `joint.limits.angle.max` is "limits.angle.max". */
function group(item: Item, prefix: string): unknown {
  return new Proxy(Object.freeze({}), {
    get: (_, key) => (typeof key === 'symbol' ? undefined : member(item, `${prefix}.${key}`)),
    set: (_, key, value) => {
      item.set(`${prefix}.${String(key)}`, value);
      return true;
    },
  });
}

function member(item: Item, key: string): unknown {
  const names = item.properties().map((p) => attribute(p.key));
  const start = `${key}.`;
  if (!names.includes(key) && names.some((n) => n.startsWith(start))) return group(item, key);
  return item.get(key);
}

/** An item whose properties are attributes, besides those of its class. */
function open<T extends Item>(item: T): T {
  return new Proxy(item, {
    get(target, key, self) {
      // what awaits and prints objects asks for more than there is
      if (typeof key === 'symbol' || key in target || key === 'then' || key === 'toJSON')
        return Reflect.get(target, key, self) as unknown;
      return member(target, key);
    },
    set(target, key, value, self) {
      if (typeof key === 'symbol' || key in target) return Reflect.set(target, key, value, self);
      target.set(key, value);
      return true;
    },
  });
}

/** A body. */
export class Body extends Item {
  private numbers(from: number, count: number): Float64Array {
    const all = this.world.engine.body(this.name);
    if (!all) throw this.world.unknown('body', this.name);
    return all.slice(from, from + count);
  }

  /** [m] Origin of its frame. */
  get position(): Float64Array {
    return this.numbers(0, 3);
  }
  set position(value: ArrayLike<number>) {
    const rotation = [...this.quaternion];
    this.world.apply({ do: 'place', body: this.name, position: three(value), rotation });
  }
  /** Rotation x, y, z, w. */
  get quaternion(): Float64Array {
    return this.numbers(3, 4);
  }
  set quaternion(value: ArrayLike<number>) {
    const position = three(this.position);
    this.world.apply({ do: 'place', body: this.name, position, rotation: Array.from(value) });
  }
  /** [m/s] Velocity of its centre of mass. */
  get velocity(): Float64Array {
    return this.numbers(7, 3);
  }
  /** [rad/s] Angular velocity, world coordinates. */
  get angular_velocity(): Float64Array {
    return this.numbers(10, 3);
  }
  /** [m] Its centre of mass in world coordinates. */
  get center_of_mass(): Float64Array {
    return this.numbers(13, 3);
  }
  /** [N] Force of all contacts on it in the last step. */
  get contact_force(): Float64Array {
    return this.numbers(16, 3);
  }
  /** A force (N) for the coming step, at a point in world coordinates or at the centre of mass. */
  apply_force(force: ArrayLike<number>, at?: ArrayLike<number>): void {
    const [f, c] = [three(force), three(this.center_of_mass)];
    const r = at ? three(at).map((x, k) => x - c[k]!) : [0, 0, 0];
    const torque = [0, 1, 2].map((k) => {
      const [i, j] = [(k + 1) % 3, (k + 2) % 3];
      return r[i]! * f[j]! - r[j]! * f[i]!;
    });
    const seconds = this.world.step_size;
    this.world.apply({ do: 'force', body: this.name, force: f, torque, seconds });
  }
  /** A torque (N m, world coordinates) for the coming step. */
  apply_torque(torque: ArrayLike<number>): void {
    const seconds = this.world.step_size;
    const [force, t] = [[0, 0, 0], three(torque)];
    this.world.apply({ do: 'force', body: this.name, force, torque: t, seconds });
  }
  /** An impulse (N s) at once, at a point in world coordinates or at the centre of mass. */
  apply_impulse(impulse: ArrayLike<number>, at?: ArrayLike<number>): void {
    const point = three(at ?? this.center_of_mass);
    this.world.apply({ do: 'push', body: this.name, impulse: three(impulse), point });
  }
}

/** A joint. */
export class Joint extends Item {
  private quantity(what: string): number {
    return this.world.engine.measure(`${this.name}.${what}`)[0]!;
  }
  private one(what: string): number {
    return told(() => this.quantity(what));
  }
  private all(what: string): Float64Array {
    return told(() => this.world.engine.measure(`${this.name}.${what}`));
  }

  /** [rad] Angle of the second body against the first about the axis, whole turns counted. */
  get angle(): number {
    return this.one('angle');
  }
  /** [rad/s] Its rate. */
  get angle_rate(): number {
    return this.one('angle_rate');
  }
  /** [m] Shift along the axis. */
  get position(): number {
    return this.one('position');
  }
  /** [m/s] Its rate. */
  get position_rate(): number {
    return this.one('position_rate');
  }
  /** [rad] Angle between the axes. */
  get swing(): number {
    return this.one('swing');
  }
  /** [rad/s] Its rate. */
  get swing_rate(): number {
    return this.one('swing_rate');
  }
  /** [N] Reaction force on the second body in the last step, world coordinates. */
  get force(): Float64Array {
    return this.all('force');
  }
  /** [N m] Reaction torque on the second body in the last step, world coordinates. */
  get torque(): Float64Array {
    return this.all('torque');
  }
  /** [m, rad] Gap and misalignment. */
  get error(): [number, number] {
    const [gap, misalignment] = this.all('error');
    return [gap!, misalignment!];
  }
  /** The motor that drives it; the first of several. */
  get motor(): Motor {
    const drives = (name: string) => this.world.motor(name).get('joint') === this.name;
    const found = this.world.names('motor').find(drives);
    if (found !== undefined) return this.world.motor(found);
    throw new KreiselError(`no motor drives joint "${this.name}"`);
  }
}

/** What a motor follows, by what kind it is. */
type Drive =
  | 'effort'
  | 'velocity'
  | 'servo.position'
  | 'servo.velocity'
  | 'electric.voltage'
  | 'muscle.excitation'
  | 'hydraulic.valve'
  | 'brake';

/** A motor. */
export class Motor extends Item {
  private has(key: Drive): boolean {
    return this.properties().some((p) => p.key === key);
  }
  private constant(key: Drive): number {
    const { points } = this.get(key) as { points: [number, number][] };
    return points[0]![1];
  }

  /** [N m or N] What it is set to for a motor that gives an effort, else what it gave last. */
  get effort(): number {
    return this.has('effort') ? this.constant('effort') : this.effort_now;
  }
  set effort(value: number) {
    this.set('effort', value);
  }
  /** [N m or N] Effort that it gave in the last step; 0 before the first. */
  get effort_now(): number {
    return this.get('effort now') as number;
  }
  /** [rad/s or m/s] Rate that a velocity motor holds. */
  get velocity(): number {
    return this.constant('velocity');
  }
  set velocity(value: number) {
    this.set('velocity', value);
  }
  /** [rad, m, rad/s or m/s] Set value that a servo follows. */
  get target(): number {
    return this.constant(this.has('servo.position') ? 'servo.position' : 'servo.velocity');
  }
  set target(value: number) {
    this.set(this.has('servo.position') ? 'servo.position' : 'servo.velocity', value);
  }
  /** [V] Voltage on the winding of an electric motor. */
  get voltage(): number {
    return this.constant('electric.voltage');
  }
  set voltage(value: number) {
    this.set('electric.voltage', value);
  }
  /** Excitation of a muscle, 0 to 1. */
  get excitation(): number {
    return this.constant('muscle.excitation');
  }
  set excitation(value: number) {
    this.set('muscle.excitation', value);
  }
  /** Opening of the valve of a hydraulic cylinder, −1 to 1. */
  get valve(): number {
    return this.constant('hydraulic.valve');
  }
  set valve(value: number) {
    this.set('hydraulic.valve', value);
  }
  /** [N m s/rad or N s/m] Damping of a brake. */
  get brake(): number {
    return this.constant('brake');
  }
  set brake(value: number) {
    this.set('brake', value);
  }
}

/** The report of a step. */
export interface Report {
  time: number;
  /** "converged", "not converged", "budget spent", "energy", "order", "refused", … */
  status: string;
  ok: boolean;
  /** The worst joint: name, gap in m, misalignment in rad. */
  worst: [string, number, number] | null;
  velocity_error: number;
  substeps: number;
  rounds: number;
  contacts: number;
  penetration: number;
  unexplained: string | null;
}
export interface Energy {
  kinetic: number;
  potential: number;
  spring: number;
  total: number;
}
export interface RunOptions {
  /** A time to end at, s, instead of a duration. */
  until?: number;
  /** Quantities by path: "crank.angle", "arm.position", "energy". */
  record?: readonly string[];
  /** Time between rows, s; every step without it. */
  every?: number;
  /** Called before every step. */
  control?: (world: World) => void;
  /** Called after every step. */
  after_step?: (world: World) => void;
}

/** What a run has recorded: columns by name, and the worst joint of all its steps. */
export class Recording {
  constructor(
    readonly names: readonly string[],
    readonly units: readonly string[],
    private readonly columns: ReadonlyMap<string, Float64Array>,
    readonly worst: [string, number, number, number] | null,
    /** Whether every step has converged. */
    readonly ok: boolean,
    readonly state_hash: string,
  ) {}

  /** A column by its name: "time", "crank.angle", "arm.position.x". */
  column(name: string): Float64Array {
    const found = this.columns.get(name);
    if (found) return found;
    const near = module.nearest(name, [...this.names]);
    const help = near ? `did you mean "${near}"?` : `there are ${this.names.join(', ')}`;
    throw new KreiselError(`no column "${name}"; ${help}`);
  }
}

/**
 * A world. `new World({ step: 0.005, gravity: [0, 0, 0] })` is empty; the keys are those of `[world]`
 * in a scene. `load` reads a scene. Lengths in m, times in s, masses in kg, angles in rad.
 */
export class World {
  /** The module's own class, for what has no name here. */
  readonly engine: Engine;

  constructor(world: { title?: string; [key: string]: Json | undefined } = {}) {
    const { title = '', ...keys } = world;
    const text = json({ version: 1, title, world: keys });
    this.engine = engine('World.json', { 'World.json': text });
  }

  /** A world of an engine that runs. */
  static of(engine: Engine): World {
    return Object.assign(Object.create(World.prototype) as World, { engine });
  }

  // building

  /** Adds items: the keys are the tables of a scene, `{ body: [{…}, …] }` for several. */
  add(tables: { [table: string]: Json }): void {
    const single = ['world', 'contact', 'lagrange', 'record', 'camera', 'params'];
    const list = (k: string, v: Json) => (single.includes(k) || Array.isArray(v) ? v : [v]);
    const lists = Object.entries(tables).map(([k, v]) => [k, list(k, v)]);
    told(() => this.engine.extend(json(Object.fromEntries(lists))));
  }

  /** Adds one item, and gives it; a list where `repeat` made several. */
  protected make(table: string, kind: string, keys: object): unknown {
    const before = this.names(kind).length;
    told(() => this.engine.extend(json({ [table]: [keys] })));
    const made = this.names(kind).slice(before);
    const items = made.map((name) => this.named(kind, name));
    return items.length === 1 ? items[0] : items;
  }

  /** Removes items with everything that hangs on them. */
  remove(...items: (string | Item)[]): void {
    const objects = items.map((i) => (typeof i === 'string' ? i : i.name));
    this.apply({ do: 'remove', objects });
  }

  /** A command as in a journal: grab, push, set, add, remove, undo, redo, rewind, load. */
  apply(command: { do: string; [key: string]: unknown }): void {
    told(() => this.engine.apply(json(command)));
  }

  // items by name

  /** Names of all items of a kind, in the order in which they were made. */
  names(kind: string): string[] {
    return this.engine.names(kind);
  }

  /** The error of a name that nothing has. */
  unknown(kind: string, name: string): KreiselError {
    const near = module.nearest(name, this.names(kind));
    const help = near
      ? `did you mean "${near}"?`
      : `there are ${this.names(kind).join(', ') || 'none'}`;
    return new KreiselError(`there is no ${kind} "${name}"; ${help}`);
  }

  private named(kind: string, name: string): Item {
    if (kind !== 'world' && !this.names(kind).includes(name)) throw this.unknown(kind, name);
    if (kind === 'body') return open(new Body(this, kind, name));
    if (kind === 'joint') return open(new Joint(this, kind, name));
    if (kind === 'motor') return open(new Motor(this, kind, name));
    return open(new Item(this, kind, name));
  }

  body(name: string): Body & Properties['body'] {
    return this.named('body', name) as Body & Properties['body'];
  }
  joint(name: string): Joint & Properties['joint'] {
    return this.named('joint', name) as Joint & Properties['joint'];
  }
  motor(name: string): Motor & Properties['motor'] {
    return this.named('motor', name) as Motor & Properties['motor'];
  }
  spring(name: string): Item & Properties['spring'] {
    return this.named('spring', name) as Item & Properties['spring'];
  }
  constraint(name: string): Item & Properties['constraint'] {
    return this.named('constraint', name) as Item & Properties['constraint'];
  }
  controller(name: string): Item & Properties['controller'] {
    return this.named('controller', name) as Item & Properties['controller'];
  }
  field(name: string): Item & Properties['field'] {
    return this.named('field', name) as Item & Properties['field'];
  }
  curve(name: string): Item & Properties['curve'] {
    return this.named('curve', name) as Item & Properties['curve'];
  }
  procedure(name: string): Item & Properties['procedure'] {
    return this.named('procedure', name) as Item & Properties['procedure'];
  }
  sensor(name: string): Item & Properties['sensor'] {
    return this.named('sensor', name) as Item & Properties['sensor'];
  }
  /** The item of this name, whatever it is. */
  item(name: string): Item {
    const kind = module.kinds().find((k) => this.names(k).includes(name));
    if (kind === undefined) {
      const all = module.kinds().flatMap((k) => this.names(k));
      const near = module.nearest(name, all);
      throw new KreiselError(`there is no "${name}"${near ? `; did you mean "${near}"?` : ''}`);
    }
    return this.named(kind, name);
  }
  /** Gravity, step, method, tolerances: the properties of the whole world. */
  get settings(): Item & Properties['settings'] {
    return this.named('world', 'world') as Item & Properties['settings'];
  }

  // time

  get time(): number {
    return this.engine.time();
  }
  get step_size(): number {
    return this.engine.stepSize();
  }
  get duration(): number {
    return this.engine.duration();
  }
  get title(): string | undefined {
    return this.engine.title();
  }
  get steps(): number {
    return this.engine.steps();
  }
  /** Hash of the state: the same as natively, to the bit. */
  get state_hash(): string {
    return this.engine.hash();
  }
  get report(): Report {
    const { energy, ...report } = JSON.parse(this.engine.report()) as Report & { energy: unknown };
    const words = report.status.replace(/(?!^)([A-Z])/g, ' $1').toLowerCase();
    return { ...report, status: words, ok: words === 'converged' };
  }
  get energy(): Energy {
    return (JSON.parse(this.engine.report()) as { energy: Energy }).energy;
  }
  /** Position and quaternion of every body, seven numbers each, in the order of `names("body")`. */
  get poses(): Float64Array {
    return this.engine.poses();
  }

  /** Makes `n` steps; gives the report of the last. */
  step(n = 1): Report {
    told(() => this.engine.step(n));
    return this.report;
  }

  /** Runs for `duration` seconds, or `until` a time; the scene's duration without both. */
  run(duration?: number, options: RunOptions = {}): Recording {
    const { until, record = [], every, control, after_step } = options;
    if (duration !== undefined && until !== undefined)
      throw new KreiselError('a run has a duration or a time to end at, not both');
    const end = until ?? this.time + (duration ?? this.duration);
    if (!(Number.isFinite(end) && end >= this.time))
      throw new KreiselError(`a run ends at a time from now (${this.time} s) on, not at ${end} s`);
    const heads = record.flatMap((path) => {
      const list = JSON.parse(told(() => this.engine.columns(path))) as Column[];
      return list;
    });
    const rows: number[][] = [];
    const take = () => {
      const row = record.flatMap((path) => [...this.engine.measure(path)]);
      rows.push([this.time, ...row]);
    };

    // a rest of less than a millionth of a step is rounding
    const count = Math.max(0, Math.ceil((end - this.time) / this.step_size - 1e-6));
    const stride = every === undefined ? 1 : Math.max(1, Math.round(every / this.step_size));
    const watched = control || after_step || record.length > 0;
    let [worst, ok]: [[string, number, number, number] | null, boolean] = [null, true];
    take();
    for (let k = 0; k < count;) {
      control?.(this);
      const many = watched ? 1 : count;
      told(() => this.engine.step(many));
      k += many;
      const report = this.report;
      ok &&= report.ok;
      const size = (w: readonly (string | number)[]) => Math.max(w[1] as number, w[2] as number);
      if (report.worst && (!worst || size(report.worst) > size(worst)))
        worst = [...report.worst, report.time];
      after_step?.(this);
      if (k % stride === 0) take();
    }

    const names = ['time', ...heads.map((c) => c.name)];
    const units = ['s', ...heads.map((c) => c.unit)];
    const column = (c: number) => Float64Array.from(rows, (row) => row[c]!);
    const columns = new Map(names.map((name, c) => [name, column(c)]));
    return new Recording(names, units, columns, worst, ok, this.state_hash);
  }

  /** A quantity by the path of recordings: "crank.angle", "arm.position", "energy.total". */
  measure(path: string): number | Float64Array {
    const found = told(() => this.engine.measure(path));
    return found.length === 1 ? found[0]! : found;
  }

  /** Back to the start of the scene. */
  restart(): void {
    this.apply({ do: 'restart' });
  }
  /** The world as it stands, as the TOML text of a scene. */
  save_text(): string {
    return this.engine.save();
  }
}

interface Column {
  name: string;
  unit: string;
}

/** The tables of a scene whose items have names, and the kind of item that they make. */
const MAKES: Record<string, string> = {
  body: 'body',
  point: 'body',
  joint: 'joint',
  rod: 'joint',
  thread: 'joint',
  rail: 'joint',
  polygon: 'joint',
  spring: 'spring',
  motor: 'motor',
  curve: 'curve',
  constraint: 'constraint',
  controller: 'controller',
  field: 'field',
  procedure: 'procedure',
  sensor: 'sensor',
};
export interface World extends Builders<Body, Joint, Motor, Item> {}
for (const [table, kind] of Object.entries(MAKES))
  Object.defineProperty(World.prototype, `add_${table}`, {
    value(this: World, keys: object) {
      return (this as unknown as { make(t: string, k: string, keys: object): unknown }).make(
        table,
        kind,
        keys,
      );
    },
  });
