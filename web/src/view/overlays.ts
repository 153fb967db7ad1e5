// What is drawn besides bodies: joints, springs, axes, velocities, reactions, contacts, trails,
// boxes, hands.

import * as THREE from 'three';
import type { ClientInfo, JointView, SceneView, Trouble } from '../bindings';
import type { Frame } from '../frame';
import { Arrows } from './arrows';
import type { Bodies } from './bodies';
import { CONTROLLER, HOLONOMIC, INACTIVE, SELECTED, VELOCITY, troubled } from './colors';
import { Elements, type Target } from './elements';
import { glyph } from './glyphs';
import { lines, seat } from './guides';
import { Labels } from './labels';
import { Segments } from './segments';

/** What can be switched. */
export const LAYERS = {
  joints: 'Joints',
  springs: 'Springs',
  elements: 'Constraints, controllers, curves',
  connectors: 'Connectors',
  fields: 'Fields',
  axes: 'Body axes',
  velocities: 'Velocities',
  reactions: 'Reaction forces',
  contacts: 'Contacts and forces',
  trails: 'Trails',
  boxes: 'Bounding boxes',
  names: 'Names',
  calm: 'Signs only while paused',
} as const;
export type Layer = keyof typeof LAYERS;

const AXES = [new THREE.Color(0xff4d4d), new THREE.Color(0x4dcc66), new THREE.Color(0x4d8bff)];

const TRAIL = 240;
const MOST_TRAILS = 64;

/** How near to a line a click selects it, in pixels. */
const NEAR = 9;

export class Overlays {
  readonly group = new THREE.Group();
  readonly on: Record<Layer, boolean> = {
    joints: true,
    springs: true,
    elements: true,
    connectors: true,
    fields: true,
    axes: false,
    velocities: false,
    reactions: false,
    contacts: false,
    trails: false,
    boxes: false,
    names: false,
    calm: false,
  };
  /** What this page does not show, what is wrong with items, whether points are being picked. */
  hidden: ReadonlySet<string> = new Set();
  troubles = new Map<string, Trouble>();
  automatic = false;
  private running = false;
  private scene: SceneView | null = null;
  private meshes: { mesh: THREE.InstancedMesh; joints: number[] }[] = [];
  private readonly links = new Segments(2.5, true);
  private readonly springs = new Segments(2.5);
  private readonly axes = new Segments(2.5, true);
  private readonly boxes = new Segments(1.5);
  private readonly trails = new Segments(2.5);
  private readonly velocities = new Arrows(0x2fd27a);
  private readonly reactions = new Arrows(0xff7a45);
  private readonly contacts = new Arrows(0xff3fa4);
  private readonly handArrows = new Arrows(0xffffff, 32);
  private readonly handBalls: THREE.InstancedMesh;
  private readonly paths: { ring: THREE.Vector3[]; last: number }[] = [];
  private readonly material = new THREE.MeshStandardMaterial({
    roughness: 0.4,
    depthTest: false,
    transparent: true,
    opacity: 0.92,
  });
  private readonly labels: Labels;
  /** An arrow that a tool draws: from, vector, and what is written at its tip. */
  arrow: [THREE.Vector3, THREE.Vector3, string] | null = null;
  private targets: Target[] = [];
  private readonly toolArrow = new Arrows(0xffb000, 2);
  clients: ClientInfo[] = [];
  private glyph = 0.02;
  readonly elements: Elements;

  constructor(
    private readonly bodies: Bodies,
    labelLayer: HTMLElement,
  ) {
    this.labels = new Labels(labelLayer);
    this.handBalls = new THREE.InstancedMesh(
      new THREE.SphereGeometry(1, 18, 12),
      new THREE.MeshBasicMaterial({
        toneMapped: false,
        depthTest: false,
        transparent: true,
        opacity: 0.9,
      }),
      32,
    );
    this.handBalls.frustumCulled = false;
    this.handBalls.renderOrder = 11;
    this.elements = new Elements(bodies);
    this.group.add(
      this.elements.group,
      this.links.lines,
      this.springs.lines,
      this.axes.lines,
      this.boxes.lines,
      this.trails.lines,
      this.handBalls,
      this.velocities.group,
      this.reactions.group,
      this.contacts.group,
      this.handArrows.group,
      this.toolArrow.group,
    );
  }

  build(scene: SceneView): void {
    this.scene = scene;
    for (const { mesh } of this.meshes) {
      this.group.remove(mesh);
      mesh.geometry.dispose();
      mesh.dispose();
    }
    const by = new Map<string, number[]>();
    scene.joints.forEach((j, k) => by.set(j.kind, [...(by.get(j.kind) ?? []), k]));
    this.meshes = [];
    for (const [kind, joints] of by) {
      const geometry = glyph(kind);
      if (!geometry) continue;
      const mesh = new THREE.InstancedMesh(geometry, this.material, joints.length);
      mesh.frustumCulled = false;
      mesh.renderOrder = 10;
      this.group.add(mesh);
      this.meshes.push({ mesh, joints });
    }
    this.glyph = this.measure();
    this.paths.length = 0;
    this.labels.clear();
    this.paint(new Set());
  }

  /** Signs that stand in the way of what moves can be left out while it moves (W-131). */
  private seen(layer: Layer): boolean {
    return this.on[layer] && !(this.on.calm && this.running);
  }

  private color(j: JointView, k: number): THREE.Color {
    const trouble = this.troubles.get(j.name);
    if (trouble) return troubled(trouble.kind, performance.now());
    if (!j.active) return INACTIVE;
    if (j.velocity_only) return VELOCITY;
    return this.scene?.motors.some((m) => m.joint === k) ? CONTROLLER : HOLONOMIC;
  }

  paint(selected: Set<string>): void {
    for (const { mesh, joints } of this.meshes) {
      joints.forEach((k, slot) => {
        const j = this.scene!.joints[k]!;
        const c = this.color(j, k).clone();
        if (selected.has(j.name)) c.lerp(SELECTED, 0.75);
        mesh.setColorAt(slot, c);
      });
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  /**
   * The joint, spring, constraint, controller, curve or field that is seen at a point of the page.
   */
  pick(
    ray: THREE.Raycaster,
    x: number,
    y: number,
    screen: (p: THREE.Vector3) => { x: number; y: number },
  ): string | null {
    if (this.seen('joints')) {
      const hit = ray.intersectObjects(
        this.meshes.map((m) => m.mesh),
        false,
      )[0];
      const found = this.meshes.find((m) => m.mesh === hit?.object);
      if (found && hit?.instanceId !== undefined)
        return this.scene!.joints[found.joints[hit.instanceId]!]!.name;
    }
    let best: { name: string; distance: number } | null = null;
    for (const t of this.targets) {
      const [a, b] = [screen(t.a), screen(t.b)];
      const [dx, dy] = [b.x - a.x, b.y - a.y];
      const along = Math.max(
        0,
        Math.min(1, ((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy || 1)),
      );
      const distance = Math.hypot(a.x + along * dx - x, a.y + along * dy - y);
      if (distance < (best?.distance ?? NEAR)) best = { name: t.name, distance };
    }
    return best?.name ?? null;
  }

  /** Where selected things are that are no bodies. */
  places(selected: Set<string>): THREE.Vector3[] {
    const joints = (this.scene?.joints ?? [])
      .filter((j) => selected.has(j.name))
      .map((j) => seat(j, this.bodies));
    return [
      ...joints,
      ...this.targets.filter((t) => selected.has(t.name)).flatMap((t) => [t.a, t.b]),
    ];
  }

  /** A glyph's size: that of a small body, not of the whole scene. */
  private measure(): number {
    return Math.min(0.08 * this.bodies.typical(), 0.025 * this.bodies.size);
  }

  update(
    frame: Frame,
    selected: Set<string>,
    screen: (p: THREE.Vector3) => { x: number; y: number },
  ): void {
    const scene = this.scene;
    if (!scene) return;
    const b = this.bodies;
    const size = this.glyph;
    const [m, q, up] = [new THREE.Matrix4(), new THREE.Quaternion(), new THREE.Vector3(0, 1, 0)];
    const scale = new THREE.Vector3(size, size, size);
    this.running = frame.running;
    // what is wrong pulses
    if (this.troubles.size > 0) this.paint(selected);
    for (const { mesh, joints } of this.meshes) {
      mesh.visible = this.seen('joints');
      if (!mesh.visible) continue;
      joints.forEach((k, slot) => {
        const j = scene.joints[k]!;
        if (this.hidden.has(j.name)) {
          mesh.setMatrixAt(slot, m.makeScale(0, 0, 0));
          return;
        }
        const at = seat(j, b);
        q.setFromUnitVectors(up, b.direction(j.bodies[0], j.axis).normalize());
        mesh.setMatrixAt(slot, m.compose(at, q, scale));
      });
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    }
    this.targets = [];
    this.links.begin();
    if (this.seen('joints')) {
      scene.joints.forEach((j, k) => {
        if (this.hidden.has(j.name)) return;
        for (const [a, c] of lines(j, b)) {
          if (!(a.distanceTo(c) > 1e-4 * b.size)) continue;
          this.links.add(a, c, selected.has(j.name) ? SELECTED : this.color(j, k));
          this.targets.push({ name: j.name, a, b: c });
        }
      });
    }
    this.links.end();
    this.drawSprings(scene, size, selected);
    const on = {
      elements: this.seen('elements'),
      connectors: this.seen('connectors'),
      fields: this.seen('fields'),
      springs: this.seen('springs'),
    };
    this.elements.update(scene, frame, size, selected, on, this.targets, this);
    this.drawAxes(size);
    this.drawBoxes(selected);
    this.drawTrails(frame, scene, selected);
    this.drawVectors(frame, scene, size);
    this.labels.begin(screen);
    this.drawHands(frame, size);
    this.drawNames(scene, selected);
    this.drawTroubles(scene);
    this.labels.end();
  }

  private drawSprings(scene: SceneView, size: number, selected: Set<string>): void {
    this.springs.begin();
    if (this.seen('springs')) {
      for (const s of scene.springs) {
        if (this.hidden.has(s.name)) continue;
        const a = this.bodies.point(s.bodies[0], s.anchors[0]);
        const c = this.bodies.point(s.bodies[1], s.anchors[1]);
        const d = c.clone().sub(a);
        const side = new THREE.Vector3(0, 0, 1).cross(d);
        if (side.lengthSq() < 1e-12) side.set(1, 0, 0);
        side.normalize();
        const other = d.clone().normalize().cross(side);
        const color = selected.has(s.name) ? SELECTED : CONTROLLER;
        this.targets.push({ name: s.name, a, b: c });
        // A coil of eight turns with straight ends; fewer pieces where there are many.
        const pieces = scene.springs.length > 50 ? 32 : 96;
        let last = a;
        for (let k = 1; k <= pieces; k++) {
          const t = k / pieces;
          const coil = t > 0.08 && t < 0.92 ? 1.4 * size : 0;
          const p = a
            .clone()
            .addScaledVector(d, t)
            .addScaledVector(side, coil * Math.cos(t * 16 * Math.PI))
            .addScaledVector(other, coil * Math.sin(t * 16 * Math.PI));
          this.springs.add(last, p, color);
          last = p;
        }
      }
    }
    this.springs.end();
  }

  /** What is wrong is said where it is. */
  private drawTroubles(scene: SceneView): void {
    for (const t of this.troubles.values()) {
      const body = scene.bodies.findIndex((b) => b.name === t.name);
      const joint = scene.joints.find((j) => j.name === t.name);
      const target = this.targets.find((x) => x.name === t.name);
      const at =
        body >= 0
          ? this.bodies.point(body, scene.bodies[body]!.center)
          : joint
            ? seat(joint, this.bodies)
            : target?.a;
      if (at) this.labels.show(`trouble ${t.name}`, `${t.name}: ${t.kind}`, at, '#ff6b6b');
    }
  }

  private drawAxes(size: number): void {
    this.axes.begin();
    if (this.on.axes) {
      for (let k = 0; k < this.bodies.positions.length; k++) {
        AXES.forEach((color, i) => {
          const d = this.bodies.direction(k, [i === 0 ? 1 : 0, i === 1 ? 1 : 0, i === 2 ? 1 : 0]);
          this.axes.add(
            this.bodies.positions[k]!,
            this.bodies.positions[k]!.clone().addScaledVector(d, 5 * size),
            color,
          );
        });
      }
    }
    this.axes.end();
  }

  private drawBoxes(selected: Set<string>): void {
    this.boxes.begin();
    this.scene?.bodies.forEach((body, k) => {
      const box = this.bodies.boxes[k]!;
      const chosen = selected.has(body.name);
      if ((!this.on.boxes && !chosen) || box.isEmpty()) return;
      const color = chosen ? CONTROLLER : INACTIVE;
      const corner = (i: number) =>
        this.bodies.point(k, [
          i & 1 ? box.max.x : box.min.x,
          i & 2 ? box.max.y : box.min.y,
          i & 4 ? box.max.z : box.min.z,
        ]);
      for (let i = 0; i < 8; i++) {
        for (const bit of [1, 2, 4])
          if (!(i & bit)) this.boxes.add(corner(i), corner(i | bit), color);
      }
    });
    this.boxes.end();
  }

  private drawTrails(frame: Frame, scene: SceneView, selected: Set<string>): void {
    this.trails.begin();
    if (this.on.trails) {
      let drawn = 0;
      scene.bodies.forEach((body, k) => {
        const wanted = body.kind !== 'static' && (selected.size === 0 || selected.has(body.name));
        if (!wanted || drawn++ >= MOST_TRAILS) return;
        const path = (this.paths[k] ??= { ring: [], last: -1 });
        if (frame.time < path.last) path.ring = [];
        if (frame.time !== path.last) {
          path.ring.push(this.bodies.point(k, body.center).clone());
          if (path.ring.length > TRAIL) path.ring.shift();
          path.last = frame.time;
        }
        const color = this.bodies.color(k);
        for (let i = 1; i < path.ring.length; i++) {
          this.trails.add(path.ring[i - 1]!, path.ring[i]!, color);
        }
      });
    } else {
      this.paths.length = 0;
    }
    this.trails.end();
  }

  private drawVectors(frame: Frame, scene: SceneView, size: number): void {
    const vector = (v: Float32Array, i: number) => new THREE.Vector3(v[i]!, v[i + 1]!, v[i + 2]!);
    // The largest arrow is a sixth of the scene.
    const scaleFor = (v: Float32Array, stride: number) => {
      let most = 0;
      for (let i = 0; i + 2 < v.length; i += stride)
        most = Math.max(most, Math.hypot(v[i]!, v[i + 1]!, v[i + 2]!));
      return most > 0 ? this.bodies.size / 6 / most : 0;
    };
    this.velocities.begin();
    if (this.on.velocities && frame.velocities) {
      // A tenth of a second of motion, or less where that is too long.
      const s = Math.min(0.2, scaleFor(frame.velocities, 6));
      scene.bodies.forEach((body, k) => {
        this.velocities.add(
          this.bodies.point(k, body.center),
          vector(frame.velocities!, k * 6).multiplyScalar(s),
          0.14 * size,
        );
      });
    }
    this.velocities.end();
    this.reactions.begin();
    if (this.on.reactions && frame.reactions) {
      const s = scaleFor(frame.reactions, 6);
      scene.joints.forEach((j, k) => {
        const at = this.bodies.point(j.bodies[1], j.anchors[1]);
        this.reactions.add(at, vector(frame.reactions!, k * 6).multiplyScalar(s), 0.16 * size);
      });
    }
    this.reactions.end();
    this.contacts.begin();
    const c = frame.contacts;
    if (this.on.contacts && c) {
      let most = 0;
      for (let i = 6; i < c.length; i += 7) most = Math.max(most, c[i]!);
      for (let i = 0; i + 6 < c.length; i += 7) {
        const at = vector(c, i).add(new THREE.Vector3(...frame.origin));
        const long = Math.max(
          0.6 * size,
          most > 0 ? (c[i + 6]! / most) * (this.bodies.size / 9) : 0,
        );
        this.contacts.add(at, vector(c, i + 3).multiplyScalar(long), 0.14 * size);
      }
    }
    this.contacts.end();
    this.toolArrow.begin();
    if (this.arrow) this.toolArrow.add(this.arrow[0], this.arrow[1], 0.3 * size);
    this.toolArrow.end();
  }

  private drawHands(frame: Frame, size: number): void {
    const v = frame.hands;
    const n = v ? Math.min(v.length / 8, 32) : 0;
    this.handBalls.count = n;
    this.handArrows.begin();
    const m = new THREE.Matrix4();
    const origin = new THREE.Vector3(...frame.origin);
    for (let k = 0; k < n; k++) {
      const i = k * 8;
      const at = new THREE.Vector3(v![i + 2], v![i + 3], v![i + 4]).add(origin);
      const target = new THREE.Vector3(v![i + 5], v![i + 6], v![i + 7]).add(origin);
      const color = this.clients.find((c) => c.id === v![i])?.color ?? [255, 255, 255];
      const r = 0.8 * size;
      this.handBalls.setMatrixAt(k, m.makeScale(r, r, r).setPosition(at));
      const shade = new THREE.Color().setRGB(
        color[0] / 255,
        color[1] / 255,
        color[2] / 255,
        THREE.SRGBColorSpace,
      );
      this.handBalls.setColorAt(k, shade);
      this.handArrows.add(at, target.sub(at), 0.2 * size, shade);
      const who = this.clients.find((c) => c.id === v![i]);
      if (who && this.clients.length > 1)
        this.labels.show(`hand ${who.id}`, who.name, at, `rgb(${who.color.join()})`);
    }
    if (n > 0) {
      this.handBalls.instanceMatrix.needsUpdate = true;
      if (this.handBalls.instanceColor) this.handBalls.instanceColor.needsUpdate = true;
    }
    this.handArrows.end();
  }

  private drawNames(scene: SceneView, selected: Set<string>): void {
    scene.bodies.forEach((body, k) => {
      if (this.on.names || selected.has(body.name))
        this.labels.show(body.name, body.name, this.bodies.point(k, body.center));
    });
    scene.joints.forEach((j) => {
      if (selected.has(j.name))
        this.labels.show(j.name, j.name, this.bodies.point(j.bodies[0], j.anchors[0]));
    });
    const seen = new Set<string>();
    for (const t of this.targets) {
      if (!selected.has(t.name) || seen.has(t.name) || scene.joints.some((j) => j.name === t.name))
        continue;
      seen.add(t.name);
      this.labels.show(t.name, t.name, t.a.clone().add(t.b).multiplyScalar(0.5));
    }
    if (this.arrow)
      this.labels.show('arrow', this.arrow[2], this.arrow[0].clone().add(this.arrow[1]));
  }
}
