// A headset without a screen: the emulator `iwer` in Node, with the page's own parts for virtual
// reality (hands, grips, rig, panel) and a stage that draws nothing. The clock stands until a
// picture is asked for, so that a script of motions is the same every time.

import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import * as THREE from 'three';
import { type ClientMessage, type ServerMessage, VERSION } from '../src/bindings';
import type { Connection } from '../src/connection';
import { type Frame, decode } from '../src/frame';
import { State } from '../src/state';
import { Bodies } from '../src/view/bodies';
import type { Stage } from '../src/view/stage';
import type { Reality } from '../src/xr/reality';
import { ROOT } from './harness';

export type Three = [number, number, number];
export type Which = 'left' | 'right';

/** The engine as the npm package has it (`cargo xtask wasm`). */
export const PACKAGE = process.env.KREISEL_PACKAGE ?? `${ROOT}target/wasm/package`;
export const hasEngine = existsSync(`${PACKAGE}/full/kreisel.js`);

/** Time between two pictures, s. */
export const PICTURE = 1 / 72;

// ---- a browser's globals, as far as the emulator and three ask for them --------------------------

/** ms; stands still unless a test lets time pass. */
let clock = 1000;
let virtual = true;
const real = performance.now.bind(performance);
/** Lets the clock run as it does outside, for tests with a server. */
export function useRealClock(): void {
  virtual = false;
}

class Element {
  dataset = {};
  style = {};
  width = 64;
  height = 64;
  hidden = false;
  id = '';
  children: unknown[] = [];
  append(...more: unknown[]): void {
    this.children.push(...more);
  }
  appendChild(child: unknown): void {
    this.children.push(child);
  }
  removeChild(): void {}
  addEventListener(): void {}
  setAttribute(): void {}
  remove(): void {}
  /** A context that takes everything. */
  getContext(): unknown {
    const any: unknown = new Proxy(() => undefined, {
      get: (_, key) => (key === Symbol.toPrimitive ? () => 0 : any),
      apply: () => any,
      set: () => true,
    });
    return any;
  }
}

class Point {
  constructor(
    readonly x = 0,
    readonly y = 0,
    readonly z = 0,
    readonly w = 1,
  ) {}
  static fromPoint(p: { x?: number; y?: number; z?: number; w?: number }): Point {
    return new Point(p.x, p.y, p.z, p.w);
  }
}

class Context {
  canvas = new Element();
  makeXRCompatible(): Promise<void> {
    return Promise.resolve();
  }
  getContextAttributes(): object {
    return {};
  }
  getParameter(): number[] {
    return [0, 0, 0, 0];
  }
  clearColor(): void {}
  clearDepth(): void {}
  clearStencil(): void {}
  clear(): void {}
}

let asked: ((time: number) => void)[] = [];

Object.defineProperty(globalThis, 'navigator', {
  value: { userAgent: 'node' },
  configurable: true,
  writable: true,
});
Object.assign(globalThis, {
  window: globalThis,
  addEventListener: () => undefined,
  dispatchEvent: () => true,
  document: {
    createElement: () => new Element(),
    createElementNS: () => new Element(),
    body: new Element(),
    addEventListener: () => undefined,
  },
  localStorage: { getItem: () => null, setItem: () => undefined, removeItem: () => undefined },
  DOMPointReadOnly: Point,
  DOMPoint: Point,
  WebGLRenderingContext: class {},
  WebGL2RenderingContext: Context,
  requestAnimationFrame: (f: (time: number) => void) => asked.push(f),
  cancelAnimationFrame: () => undefined,
});
performance.now = () => (virtual ? clock : real());

interface Vector {
  set(...xyz: number[]): void;
}
interface Emulated {
  position: Vector;
  quaternion: Vector;
  controllers: Record<
    Which,
    {
      position: Vector;
      quaternion: Vector;
      updateButtonValue(button: string, value: number): void;
      updateAxes(axis: string, x: number, y: number): void;
    }
  >;
  hands: Record<Which, { position: Vector; quaternion: Vector; updatePinchValue(x: number): void }>;
  primaryInputMode: string;
  installRuntime(options: object): void;
}

// ---- what a headset talks to --------------------------------------------------------------------

export interface Engine {
  message(text: string): void;
  turn(most: number): number;
  messages(): string[];
  frame(): Uint8Array | undefined;
  hash(): string;
  time(): number;
  steps(): number;
  journal(): string;
  body(name: string): Float64Array | undefined;
  measure(path: string): Float64Array;
}

/** The engine with a scene, live. */
export async function engine(name: string, text: string): Promise<Engine> {
  const load = (await import(/* @vite-ignore */ pathToFileURL(`${PACKAGE}/kreisel.js`).href)) as {
    initSync(options: { module: Uint8Array }): void;
    Files: new () => { insert(name: string, bytes: Uint8Array): void };
    Engine: new (name: string, files: object, live: boolean) => Engine;
  };
  load.initSync({ module: readFileSync(`${PACKAGE}/kreisel_bg.wasm`) });
  const files = new load.Files();
  files.insert(name, new TextEncoder().encode(text));
  return new load.Engine(name, files, true);
}

type Hear = (message: ServerMessage | Frame) => void;
type Link = Connection & { hear: Hear; turn(): void; close(): void };

/** A connection to an engine of this process. */
export function local(to: Engine): Link {
  const send = (message: ClientMessage) => to.message(JSON.stringify(message));
  const link: Link = {
    frame: null,
    open: true,
    hear: () => undefined,
    command: (command) => send({ type: 'command', command }),
    control: (control) => send({ type: 'control', control }),
    request: (request) => send({ type: 'request', request }),
    message: send,
    close: () => undefined,
    turn() {
      // as many steps as the clock asks for: it stands meanwhile
      for (let k = 0; k < 1000 && to.turn(0) === 0; k++);
      for (const text of to.messages()) link.hear(JSON.parse(text) as ServerMessage);
      const bytes = to.frame();
      const frame = bytes && decode(bytes.buffer as ArrayBuffer);
      if (frame) link.frame = frame;
    },
  };
  queueMicrotask(() => send({ type: 'hello', version: VERSION, token: null, name: 'Ada' }));
  return link;
}

/** A connection to a server, by the address that it prints. */
export function remote(url: string, name: string): Promise<Link> {
  const at = new URL(url);
  // a browser says where its page is from; here it has to be said
  const options = { headers: { Origin: at.origin } };
  const socket = new WebSocket(`ws://${at.host}/socket`, options as unknown as string);
  socket.binaryType = 'arraybuffer';
  const send = (message: ClientMessage) => socket.send(JSON.stringify(message));
  const waiting: ServerMessage[] = [];
  const link: Link = {
    frame: null,
    open: true,
    hear: () => undefined,
    command: (command) => send({ type: 'command', command }),
    control: (control) => send({ type: 'control', control }),
    request: (request) => send({ type: 'request', request }),
    message: send,
    close: () => socket.close(),
    turn() {
      for (const message of waiting.splice(0)) link.hear(message);
    },
  };
  socket.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) => {
    if (typeof data === 'string') waiting.push(JSON.parse(data) as ServerMessage);
    else link.frame = decode(data) ?? link.frame;
  };
  return new Promise((resolve, reject) => {
    socket.onerror = () => reject(new Error(`no socket at ${url}`));
    socket.onopen = () => {
      send({ type: 'hello', version: VERSION, token: at.hash.slice(1), name });
      resolve(link);
    };
  });
}

// ---- the headset --------------------------------------------------------------------------------

export class Headset {
  readonly state = new State();
  readonly said: string[] = [];
  readonly stage;
  private readonly bodies = new Bodies();
  private shown = -1;
  private frame: XRFrame | null = null;

  private constructor(
    readonly device: Emulated,
    private readonly link: Link,
    public reality: Reality,
  ) {
    const camera = new THREE.PerspectiveCamera();
    const world = new THREE.Group();
    world.rotation.x = -Math.PI / 2;
    world.add(this.bodies.group);
    world.updateMatrixWorld(true);
    const [scene, context] = [new THREE.Scene(), new Context()];
    scene.add(world);
    let space: XRReferenceSpace | null = null;
    const xr = {
      enabled: false,
      setReferenceSpaceType: () => undefined,
      getReferenceSpace: () => space,
      getFrame: () => this.frame,
      setSession: async (session: XRSession) => {
        space = await session.requestReferenceSpace('local-floor');
        const layer = new XRWebGLLayer(session, context as unknown as WebGL2RenderingContext);
        await session.updateRenderState({ baseLayer: layer });
        const draw = (_: number, frame: XRFrame) => {
          session.requestAnimationFrame(draw);
          this.frame = frame;
          this.draw(space!);
          this.frame = null;
        };
        session.requestAnimationFrame(draw);
      },
    };
    this.stage = {
      renderer: { xr },
      scene,
      world,
      camera,
      controls: { enabled: true, target: new THREE.Vector3() },
      floorHeight: 0,
      room: true,
      setRoom(on: boolean) {
        this.room = on;
      },
      resize: () => undefined,
    };
    camera.position.set(0, 1.5, 2);
    this.state.connection = link;
    link.hear = (message) => this.hear(message as ServerMessage);
  }

  /** Puts a headset on, before the scene of a connection. */
  static async wear(link: Link, mode: 'immersive-vr' | 'immersive-ar'): Promise<Headset> {
    // the emulator looks for globals when it is loaded
    const iwer = (await import('iwer')) as unknown as {
      XRDevice: new (kind: object, options: object) => Emulated;
      metaQuest3: object;
    };
    const { Reality } = await import('../src/xr/reality');
    const device = new iwer.XRDevice(iwer.metaQuest3, { stereoEnabled: false });
    device.installRuntime({ forceInstall: true });
    const headset = new Headset(device, link, null as unknown as Reality);
    const say = (text: string) => void headset.said.push(text);
    const stage = headset.stage as unknown as Stage;
    headset.reality = new Reality(headset.state, stage, headset.bodies, say);
    // the scene must be there
    for (let k = 0; k < 500 && headset.shown < 0; k++) {
      await headset.pass();
      headset.show();
    }
    if (headset.shown < 0) throw new Error('no scene has come');
    await headset.reality.enter(mode);
    await headset.pictures(3);
    return headset;
  }

  private hear(message: ServerMessage): void {
    if (message.type === 'scene') this.state.scene = message.scene;
    else if (message.type === 'welcome') this.state.me = message.id;
    else if (message.type === 'clients') this.state.clients = message.clients;
    else if (message.type === 'notice') this.said.push(message.text);
  }

  /** What `main.ts` does with a frame. */
  private show(): void {
    const [frame, scene] = [this.link.frame, this.state.scene];
    if (!frame || !scene || frame.scene !== scene.revision) return;
    this.state.frame = frame;
    if (this.shown !== scene.revision) {
      this.shown = scene.revision;
      this.bodies.build(scene, 1, false);
    }
    this.bodies.move(frame);
  }

  /** What the picture of a headset does: three puts the camera, the page does the rest. */
  private draw(space: XRReferenceSpace): void {
    const { camera } = this.stage;
    const view = this.frame!.getViewerPose(space);
    if (view) {
      const { position: p, orientation: q } = view.transform;
      camera.position.set(p.x, p.y, p.z);
      camera.quaternion.set(q.x, q.y, q.z, q.w);
      camera.updateMatrixWorld(true);
    }
    this.show();
    // what a renderer does before it draws; rays look for things where they are
    this.stage.scene.updateMatrixWorld(true);
    this.reality.update();
  }

  /** Lets time pass until the next picture. */
  private async pass(): Promise<void> {
    if (virtual) clock += PICTURE * 1000;
    else await new Promise((done) => setTimeout(done, PICTURE * 1000));
    await Promise.resolve();
    this.link.turn();
  }

  /** So many pictures; `before` each, a motion. */
  async pictures(count: number, before: (k: number) => void = () => undefined): Promise<void> {
    for (let k = 0; k < count; k++) {
      before(k);
      await this.pass();
      for (const f of asked.splice(0)) f(performance.now());
      // what promises wait for
      await new Promise((done) => setImmediate(done));
    }
  }

  get summary(): Reality['summary'] {
    return this.reality.summary;
  }

  side(which: Which): Reality['summary']['sides'][number] {
    return this.summary.sides[which === 'left' ? 0 : 1]!;
  }

  /** Where a body is in the picture, world coordinates. */
  position(body: string): Three {
    const k = this.state.scene!.bodies.findIndex((b) => b.name === body);
    return this.bodies.positions[k]!.toArray();
  }

  /** A place of the scene in the coordinates of the headset. */
  private own([x, y, z]: Three): THREE.Vector3 {
    const at = this.stage.world.localToWorld(new THREE.Vector3(x, y, z));
    return this.reality.rig.group.worldToLocal(at);
  }

  private readonly at: Record<Which, THREE.Vector3> = {
    left: new THREE.Vector3(-0.3, 1.2, -0.3),
    right: new THREE.Vector3(0.3, 1.2, -0.3),
  };

  /** Puts the emulated controller so that its grip is at a place of the headset's coordinates. */
  private async set(which: Which, to: THREE.Vector3): Promise<void> {
    const move = () => {
      this.device.controllers[which].position.set(...this.at[which].toArray());
      this.device.hands[which].position.set(...this.at[which].toArray());
    };
    this.at[which].copy(to);
    move();
    await this.pictures(2);
    // the grip lies some centimetres from the controller's own origin
    const is = this.own(this.side(which).position as Three);
    this.at[which].add(to.clone().sub(is));
    move();
    // the way here was none of a hand: its speed is forgotten after 60 ms
    await this.pictures(6);
  }

  /** Puts a hand to a place of the scene. */
  put(which: Which, place: Three): Promise<void> {
    return this.set(which, this.own(place));
  }

  /** Moves hands on straight ways of the scene in so many pictures. */
  async carry(ways: Partial<Record<Which, Three>>, pictures: number): Promise<void> {
    const zero = this.own([0, 0, 0]);
    const moves = (Object.keys(ways) as Which[]).map((which) => {
      const way = this.own(ways[which]!).sub(zero);
      return { which, from: this.at[which].clone(), way };
    });
    await this.pictures(pictures, (k) => {
      for (const { which, from, way } of moves) {
        this.at[which].copy(from).addScaledVector(way, (k + 1) / pictures);
        this.device.controllers[which].position.set(...this.at[which].toArray());
        this.device.hands[which].position.set(...this.at[which].toArray());
      }
    });
  }

  /** Presses a button and lets it go with 0. */
  async button(which: Which, name: 'squeeze' | 'trigger', value: number): Promise<void> {
    this.device.controllers[which].updateButtonValue(name, value);
    await this.pictures(2);
  }

  async stick(which: Which, x: number, y: number): Promise<void> {
    this.device.controllers[which].updateAxes('thumbstick', x, y);
    await this.pictures(2);
  }

  /** How often a hand has closed on something. */
  holds = 0;

  /** Closes a hand; what it then holds. */
  async grab(which: Which): Promise<string | null> {
    await this.button(which, 'squeeze', 1);
    const held = this.side(which).holds;
    this.holds += held === null ? 0 : 1;
    return held;
  }

  /** Takes a body by its middle, again if it moves away before the hand closes. */
  async take(which: Which, body: string): Promise<string | null> {
    for (let k = 0; k < 6; k++) {
      await this.put(which, this.position(body));
      const held = await this.grab(which);
      if (held === body) return held;
      await this.release(which);
    }
    return null;
  }

  release(which: Which): Promise<void> {
    return this.button(which, 'squeeze', 0);
  }

  /** Points a hand from where it is at a place in three's coordinates, and presses the trigger. */
  async press(which: Which, key: string): Promise<void> {
    const group = this.reality.rig.group;
    const aim = () => {
      const target = group.worldToLocal(new THREE.Vector3(...this.reality.key(key)));
      const ray = this.reality.sides[which === 'left' ? 0 : 1].hand.ray;
      const from = group.worldToLocal(ray.origin.clone());
      const q = new THREE.Quaternion().setFromUnitVectors(
        new THREE.Vector3(0, 0, -1),
        target.sub(from).normalize(),
      );
      this.device.controllers[which].quaternion.set(q.x, q.y, q.z, q.w);
    };
    // turning the controller moves the place that the ray comes from: some rounds meet the key
    for (let k = 0; k < 5; k++) {
      aim();
      await this.pictures(2);
    }
    await this.button(which, 'trigger', 1);
    await this.button(which, 'trigger', 0);
    this.device.controllers[which].quaternion.set(0, 0, 0, 1);
    await this.pictures(2);
  }

  /** Ends the session. */
  async off(): Promise<void> {
    this.reality.leave();
    await this.pictures(2);
    this.link.close();
  }
}
