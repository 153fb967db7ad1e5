// Virtual and augmented reality: begins and ends the headset's session, and puts its parts
// together. Everything that hands do is a command of the session like any other, so that it stands
// in the journal. The camera is the head's and is moved by nothing else.

import * as THREE from 'three';
import { h } from '../dom';
import type { State } from '../state';
import type { Bodies } from '../view/bodies';
import type { Stage } from '../view/stage';
import { HandPicture } from './draw';
import { Grip } from './grip';
import { Hand } from './hand';
import { type Desk, keys } from './keys';
import { Pulse, felt } from './pulse';
import { type Reached, reach } from './reach';
import { Rig } from './rig';
import { Stretch } from './stretch';
import { Walk } from './walk';
import { Wrist } from './wrist';

/** Speed that the push tool gives, m/s. */
const PUSH = 2;
/** How far before the hand a new thing appears, and how large it is, m of the person's. */
const [BEFORE, SPAWN] = [0.25, 0.12];
/** A ray that meets nothing is drawn so long, m of the person's. */
const RAY = 3;

type Mode = 'immersive-vr' | 'immersive-ar';

/** One hand with what belongs to it. */
interface Side {
  hand: Hand;
  picture: HandPicture;
  pulse: Pulse;
  grip: Grip | null;
  /** Closed on nothing. */
  air: boolean;
  /** Which event has closed it. */
  closed: 'select' | 'squeeze' | null;
}

export class Reality {
  /** Buttons to put on a headset; hidden where there is none. */
  readonly buttons: HTMLElement;
  readonly rig = new Rig();
  readonly wrist: Wrist;
  readonly sides: [Side, Side];
  private readonly desk: Desk;
  private session: XRSession | null = null;
  private space: XRReferenceSpace | null = null;
  private stretch: Stretch | null = null;
  private readonly walks: [Walk, Walk];
  private readonly marker: THREE.Mesh;
  private last = 0;
  private table = false;
  /** What is put back at the end. */
  private before: { camera: THREE.PerspectiveCamera } | null = null;

  constructor(
    private readonly state: State,
    private readonly stage: Stage,
    private readonly bodies: Bodies,
    private readonly say: (text: string, level?: string) => void,
  ) {
    const side = (index: 0 | 1): Side => ({
      hand: new Hand(index, this.rig, stage.world),
      picture: new HandPicture(index),
      pulse: new Pulse(),
      grip: null,
      air: false,
      closed: null,
    });
    this.sides = [side(0), side(1)];
    this.walks = [new Walk(this.rig), new Walk(this.rig)];
    this.desk = {
      tool: 'hold',
      place: () => this.ahead(),
      table: () => this.stand(!this.table),
      leave: () => this.leave(),
    };
    this.wrist = new Wrist(keys(state, this.desk));
    this.marker = new THREE.Mesh(
      new THREE.RingGeometry(0.2, 0.26, 32).rotateX(-Math.PI / 2),
      new THREE.MeshBasicMaterial({ color: 0x4aa3ff, side: THREE.DoubleSide, depthTest: false }),
    );
    this.marker.visible = false;
    const button = (mode: Mode, label: string, id: string) =>
      h(
        'button',
        {
          className: 'chip',
          type: 'button',
          id,
          hidden: true,
          onclick: () => void this.enter(mode),
        },
        label,
      );
    this.buttons = h(
      'span',
      { className: 'reality' },
      button('immersive-vr', 'VR', 'enter-vr'),
      button('immersive-ar', 'AR', 'enter-ar'),
    );
    void this.offer();
  }

  /** Whether a headset is on. */
  get active(): boolean {
    return this.session !== null;
  }

  /** Shows the buttons of what this machine has. */
  private async offer(): Promise<void> {
    const modes: Mode[] = ['immersive-vr', 'immersive-ar'];
    for (const [k, mode] of modes.entries()) {
      const there = await navigator.xr?.isSessionSupported(mode).catch(() => false);
      (this.buttons.children[k] as HTMLElement).hidden = !there;
    }
  }

  async enter(mode: Mode): Promise<void> {
    if (this.session || !navigator.xr) return;
    const { renderer } = this.stage;
    try {
      const session = await navigator.xr.requestSession(mode, {
        requiredFeatures: ['local-floor'],
        optionalFeatures: ['hand-tracking', 'bounded-floor'],
      });
      renderer.xr.enabled = true;
      renderer.xr.setReferenceSpaceType('local-floor');
      await renderer.xr.setSession(session);
      this.begin(session, mode);
    } catch (error) {
      renderer.xr.enabled = false;
      this.say(`the headset cannot be used: ${(error as Error).message}`, 'error');
    }
  }

  /** Takes the headset off. */
  leave(): void {
    void this.session?.end();
  }

  private begin(session: XRSession, mode: Mode): void {
    const { stage } = this;
    this.session = session;
    this.space = stage.renderer.xr.getReferenceSpace();
    this.last = performance.now();
    const { camera, scene } = stage;
    this.before = { camera: camera.clone() };
    stage.controls.enabled = false;
    scene.add(this.rig.group, this.wrist.mesh, this.marker);
    for (const side of this.sides) scene.add(side.picture.group);
    const size = this.bodies.bounds().getSize(new THREE.Vector3()).length();
    this.stand(!Rig.isLife(size));
    this.rig.group.add(camera);
    // the room is seen through the headset: no sky, no floor of ours
    if (mode === 'immersive-ar') stage.setRoom(false);

    session.addEventListener('end', () => this.end());
    for (const by of ['select', 'squeeze'] as const) {
      const side = (e: XRInputSourceEvent) => this.sideOf(e.inputSource);
      session.addEventListener(`${by}start`, (e) => this.close(side(e), by));
      session.addEventListener(`${by}end`, (e) => this.open(side(e), by));
    }
  }

  private end(): void {
    const { stage, before } = this;
    for (const side of this.sides) {
      side.grip?.release();
      [side.grip, side.air, side.closed, side.hand.source] = [null, false, null, null];
      stage.scene.remove(side.picture.group);
    }
    stage.scene.remove(this.rig.group, this.wrist.mesh, this.marker);
    this.rig.group.remove(stage.camera);
    this.session = this.space = this.stretch = null;
    stage.renderer.xr.enabled = false;
    stage.setRoom(true);
    stage.controls.enabled = true;
    // lens and place of the desktop's camera
    if (before) stage.camera.copy(before.camera, false);
    this.before = null;
    stage.resize();
  }

  /** Stands before the scene, on its floor or at a table with it. */
  private stand(table: boolean): void {
    this.table = table;
    const box = this.bodies.bounds().applyMatrix4(this.stage.world.matrixWorld);
    const { camera, controls, floorHeight } = this.stage;
    const look = controls.target.clone().sub(this.before!.camera.position);
    this.rig.place(box, floorHeight, look, table);
    // a headset's planes count in metres of the person
    const size = box.isEmpty() ? 1 : box.getSize(new THREE.Vector3()).length();
    camera.near = 0.02;
    camera.far = Math.max(100, (200 * size) / this.rig.scale);
    for (const side of this.sides) side.hand.motion.forget();
  }

  private sideOf(source: XRInputSource): Side {
    const [left, right] = this.sides;
    if (left.hand.source === source) return left;
    if (right.hand.source === source) return right;
    return source.handedness === 'left' ? left : right;
  }

  /** Gives each hand its source; the left one comes first where a source has no side. */
  private assign(): void {
    const sources = [...(this.session?.inputSources ?? [])];
    const tracked = sources.filter((s) => s.targetRayMode === 'tracked-pointer');
    const left = tracked.find((s) => s.handedness === 'left') ?? null;
    const right = tracked.find((s) => s.handedness === 'right') ?? null;
    const none = tracked.filter((s) => s.handedness === 'none');
    this.use(this.sides[0], left ?? none[0] ?? null);
    this.use(this.sides[1], right ?? none[left ? 0 : 1] ?? null);
  }

  private use(side: Side, source: XRInputSource | null): void {
    if (side.hand.source === source) return;
    // a controller that was put down holds nothing
    if (side.closed) this.open(side, side.closed);
    side.hand.source = source;
  }

  /** A hand closes: on a key of the panel, on a body, or on nothing. */
  private close(side: Side, by: 'select' | 'squeeze'): void {
    if (side.closed) return;
    side.closed = by;
    const key = by === 'select' && side.hand.index === 1 ? this.wrist.hit(side.hand.ray).key : -1;
    if (key >= 0) {
      this.wrist.press(key);
      side.pulse.give(side.hand.source, 0.3);
      return;
    }
    const found = this.reached(side.hand);
    if (!found) {
      side.air = true;
      const both = this.sides.every((s) => s.air);
      if (both) this.stretch = new Stretch([this.sides[0].hand, this.sides[1].hand], this.rig);
      return;
    }
    const name = this.state.scene!.bodies[found.body]!.name;
    if (by === 'select' && this.desk.tool === 'remove')
      return this.state.connection.command({ do: 'remove', objects: [name] });
    if (by === 'select' && this.desk.tool === 'push') return this.push(side.hand, found, name);
    side.grip = new Grip(this.state, side.hand, found, this.bodies);
    this.state.select([name]);
    side.pulse.give(side.hand.source, 0.2);
  }

  private open(side: Side, by: 'select' | 'squeeze'): void {
    if (side.closed !== by) return;
    side.grip?.release();
    [side.grip, side.air, side.closed] = [null, false, null];
    this.stretch = null;
    for (const s of this.sides) s.hand.motion.forget();
  }

  /** An impulse along the ray that makes the body move with a metre a second or two. */
  private push(hand: Hand, found: Reached, body: string): void {
    const mass = this.state.scene!.bodies[found.body]!.mass;
    const inverse = this.stage.world.matrixWorld.clone().invert();
    const along = hand.ray.direction.clone().transformDirection(inverse);
    const speed = PUSH * this.state.strength * this.rig.scale;
    const [p, at] = [along.multiplyScalar(mass * speed), found.point];
    this.state.connection.command({
      do: 'push',
      body,
      impulse: [p.x, p.y, p.z],
      point: [at.x, at.y, at.z],
    });
  }

  private reached(hand: Hand): Reached | null {
    const scene = this.state.scene;
    if (!scene || !hand.seen) return null;
    return reach(this.bodies, scene, hand.position, hand.ray, this.rig.scale);
  }

  /** Where a new thing appears: before the right hand, else before the head. */
  private ahead(): { at: THREE.Vector3; size: number } {
    const hand = this.sides[1].hand;
    const scale = this.rig.scale;
    const at = hand.seen ? hand.ray.at(BEFORE * scale, new THREE.Vector3()) : this.head();
    return { at: this.stage.world.worldToLocal(at), size: SPAWN * scale };
  }

  private head(): THREE.Vector3 {
    return this.stage.camera.getWorldPosition(new THREE.Vector3());
  }

  /** Once per picture of the headset, after bodies have been moved. */
  update(): void {
    const frame = this.stage.renderer.xr.getFrame() as XRFrame | null;
    if (!this.session || !this.space || !frame) return;
    const now = performance.now();
    const dt = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    this.assign();
    for (const side of this.sides) side.hand.read(frame, this.space, now / 1000);

    // the person moves by their own wish only
    const head = this.head();
    this.stretch?.update();
    const holds = this.sides.map((s) => s.grip !== null && !s.grip.reached.near);
    const moved = this.walks.map(
      (walk, k) => !holds[k] && walk.update(this.sides[k]!.hand, head, this.stage.floorHeight),
    );
    if (moved.some(Boolean)) for (const s of this.sides) s.hand.motion.forget();
    const place = this.walks[0].place ?? this.walks[1].place;
    this.marker.visible = place !== null;
    if (place) this.marker.position.copy(place);
    this.marker.scale.setScalar(this.rig.scale);

    // the panel on the left wrist
    const [left, right] = this.sides;
    this.wrist.mesh.visible = left.hand.seen;
    if (left.hand.seen) this.wrist.put(left.hand.matrix, head, this.rig.scale);
    const pointed = right.hand.seen ? this.wrist.hit(right.hand.ray) : { key: -1, point: head };
    this.wrist.draw(pointed.key);

    for (const side of this.sides) {
      side.grip?.update(now, dt);
      this.feel(side);
      const onPanel = side === right && pointed.key >= 0 ? pointed.point : null;
      this.draw(side, onPanel);
    }
  }

  private feel(side: Side): void {
    const frame = this.state.frame;
    if (!frame) return;
    const now = felt(frame, this.state.me, side.hand.index);
    const mass = now ? (this.state.scene?.bodies[now.body]?.mass ?? 1) : 1;
    side.pulse.update(side.hand.source, now, mass);
  }

  /** The hand is drawn at what it holds: where the true hand would be if the grip were there. */
  private draw(side: Side, onPanel: THREE.Vector3 | null): void {
    const { hand, grip } = side;
    const away = new THREE.Matrix4();
    let end = onPanel;
    if (grip) {
      const k = this.state.scene?.bodies.findIndex((b) => b.name === grip.body) ?? -1;
      const rotation = this.bodies.rotations[k];
      if (rotation) {
        const wanted = grip.wanted();
        const one = new THREE.Vector3(1, 1, 1);
        const at = this.bodies.point(k, grip.local.toArray());
        const is = new THREE.Matrix4().compose(at, rotation, one);
        const was = new THREE.Matrix4().compose(wanted.position, wanted.rotation, one);
        const { matrixWorld } = this.stage.world;
        away.copy(is).multiply(was.invert()).premultiply(matrixWorld);
        away.multiply(matrixWorld.clone().invert());
        if (!grip.reached.near) end = this.stage.world.localToWorld(at.clone());
      }
    } else if (!end && hand.seen && !side.air) {
      end = hand.ray.at(RAY * this.rig.scale, new THREE.Vector3());
    }
    side.picture.update(hand, this.rig.scale, grip?.reached.near ? away : new THREE.Matrix4(), end);
    if (grip && !grip.reached.near) side.picture.apart = 0;
  }

  /** What tests look at. */
  get summary() {
    return {
      active: this.active,
      scale: this.rig.scale,
      rig: this.rig.group.position.toArray(),
      yaw: this.rig.group.rotation.y,
      tool: this.desk.tool,
      sides: this.sides.map((s) => ({
        seen: s.hand.seen,
        joints: s.hand.joints.length,
        position: s.hand.position.toArray(),
        velocity: s.hand.motion.velocity.toArray(),
        holds: s.grip?.body ?? null,
        air: s.air,
        apart: s.picture.apart,
        pulses: s.pulse.count,
        pulse: s.pulse.last,
      })),
    };
  }

  /** A key's place for tests, three's coordinates. */
  key(id: string): number[] {
    return this.wrist.center(id).toArray();
  }
}
