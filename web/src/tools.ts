// Hands: what the pointer does with bodies (B-106, B-107, W-138, W-146).

import * as THREE from 'three';
import { TransformControls } from 'three/addons/controls/TransformControls.js';
import type { State } from './state';
import type { Bodies } from './view/bodies';
import type { Overlays } from './view/overlays';
import type { Stage } from './view/stage';

export const TOOLS = {
  select: { icon: 'select', label: 'Select (V)', key: 'v', hint: 'Click to select, Shift for several' },
  grab: { icon: 'grab', label: 'Grab (G)', key: 'g', hint: 'Drag a body: it follows as far as its joints allow' },
  push: { icon: 'push', label: 'Push (P)', key: 'p', hint: 'Drag from a body and let go: an impulse at that point' },
  force: { icon: 'force', label: 'Force (F)', key: 'f', hint: 'Drag and let go: half a second of force; with Shift a torque' },
  move: { icon: 'move', label: 'Move (M)', key: 'm', hint: 'Handles to move the selected body' },
  turn: { icon: 'turn', label: 'Turn (T)', key: 't', hint: 'Handles to turn the selected body' },
} as const;
export type Tool = keyof typeof TOOLS;

/** Speed that a push gives per metre of arrow, 1/s. */
const PUSH = 4;
/** Acceleration that a force gives per metre of arrow, 1/s². */
const FORCE = 20;
/** How long a force acts, s. */
const FORCE_TIME = 0.5;

type Three = [number, number, number];
const three = (v: THREE.Vector3): Three => [v.x, v.y, v.z];

export class Tools {
  private drag: { kind: Tool; body: number; from: THREE.Vector3; local: THREE.Vector3; x: number; y: number; moved: boolean; shift: boolean } | null = null;
  private target: THREE.Vector3 | null = null;
  private readonly handles: TransformControls;
  private readonly proxy = new THREE.Object3D();
  private handled = '';
  private handling = false;
  private handSent = false;

  constructor(
    private readonly state: State,
    private readonly stage: Stage,
    private readonly bodies: Bodies,
    private readonly overlays: Overlays,
  ) {
    const c = stage.canvas;
    c.addEventListener('pointerdown', (e) => this.down(e), { capture: true });
    c.addEventListener('pointermove', (e) => this.moveTo(e));
    c.addEventListener('pointerup', (e) => this.up(e));
    c.addEventListener('pointercancel', () => this.cancel());
    c.addEventListener('contextmenu', (e) => e.preventDefault());
    stage.world.add(this.proxy);
    this.handles = new TransformControls(stage.camera, c);
    this.handles.setSize(0.8);
    stage.scene.add(this.handles.getHelper());
    this.handles.addEventListener('dragging-changed', (e) => {
      this.handling = e.value as boolean;
      stage.controls.enabled = !this.handling;
      if (!this.handling) this.endHandle();
    });
    state.on('tool', () => this.attach());
    state.on('selection', () => this.attach());
    state.on('scene', () => this.attach());
  }

  /** Puts the handles on the selected body, if the tool has handles. */
  private attach(): void {
    const name = this.state.bodies().at(-1) ?? '';
    const body = this.state.scene?.bodies.findIndex((b) => b.name === name) ?? -1;
    const wanted = (this.state.tool === 'move' || this.state.tool === 'turn') && body >= 0;
    this.handled = wanted ? name : '';
    if (!wanted) {
      this.handles.detach();
      return;
    }
    this.handles.setMode(this.state.tool === 'move' ? 'translate' : 'rotate');
    this.handles.setSpace(this.state.tool === 'move' ? 'world' : 'local');
    this.handles.attach(this.proxy);
  }

  private down(e: PointerEvent): void {
    if (e.button !== 0 || !e.isPrimary || this.handles.axis) return;
    const tool = this.state.tool as Tool;
    const ray = this.stage.ray(e.clientX, e.clientY);
    const hit = this.bodies.pick(ray);
    const scene = this.state.scene;
    const joint = tool === 'select' ? this.overlays.pick(ray) : null;
    if (hit) this.state.picked = three(hit.point);
    const name = joint ?? (hit ? scene?.bodies[hit.body]?.name : undefined);
    if (name) {
      if (e.shiftKey && tool !== 'force') this.state.toggle(name);
      else if (this.state.selected.at(-1) !== name) this.state.select([name]);
    }
    const holds = tool === 'grab' || tool === 'push' || tool === 'force';
    const body = hit ? scene?.bodies[hit.body] : undefined;
    if (!hit || !holds || e.shiftKey && tool !== 'force' || body?.kind !== 'dynamic') {
      this.drag = { kind: 'select', body: hit?.body ?? -1, from: new THREE.Vector3(), local: new THREE.Vector3(), x: e.clientX, y: e.clientY, moved: false, shift: e.shiftKey };
      return;
    }
    // The pointer belongs to the hand now, not to the camera.
    this.stage.controls.enabled = false;
    this.stage.canvas.setPointerCapture(e.pointerId);
    const local = this.bodies.local(hit.body, hit.point);
    this.drag = { kind: tool, body: hit.body, from: hit.point, local, x: e.clientX, y: e.clientY, moved: false, shift: e.shiftKey };
    if (tool === 'grab') {
      this.state.connection.command({
        do: 'grab', body: body.name, point: three(local), target: three(hit.point), turn: null, strength: this.state.strength,
      });
    }
  }

  private moveTo(e: PointerEvent): void {
    const d = this.drag;
    if (!d) return;
    if (Math.hypot(e.clientX - d.x, e.clientY - d.y) > 4) d.moved = true;
    if (d.kind === 'select') return;
    const at = this.stage.onPlane(e.clientX, e.clientY, d.from);
    if (d.kind === 'grab') this.target = at;
    else this.overlays.arrow = [this.bodies.point(d.body, three(d.local)), at.sub(d.from)];
  }

  private up(e: PointerEvent): void {
    const d = this.drag;
    this.drag = null;
    this.stage.controls.enabled = true;
    if (!d) return;
    if (d.kind === 'select') {
      if (!d.moved && d.body < 0 && !e.shiftKey && !this.handles.axis) this.state.select([]);
      return;
    }
    if (d.kind === 'grab') {
      this.sendTarget();
      this.state.connection.command({ do: 'release' });
      return;
    }
    const arrow = this.overlays.arrow;
    this.overlays.arrow = null;
    const body = this.state.scene?.bodies[d.body];
    if (!arrow || !body || !d.moved) return;
    const strength = this.state.strength * body.mass;
    if (d.kind === 'push') {
      const impulse = arrow[1].clone().multiplyScalar(PUSH * strength);
      this.state.connection.command({ do: 'push', body: body.name, impulse: three(impulse), point: three(arrow[0]) });
      return;
    }
    const force = arrow[1].clone().multiplyScalar(FORCE * strength);
    // A torque turns about the axis that the drag would roll the body around.
    const view = this.stage.world.worldToLocal(this.stage.camera.position.clone()).sub(arrow[0]).normalize();
    const reach = this.bodies.boxes[d.body]!.getSize(new THREE.Vector3()).length() / 4;
    const torque = view.cross(force).multiplyScalar(reach);
    this.state.connection.command({
      do: 'force', body: body.name, force: d.shift ? [0, 0, 0] : three(force), torque: d.shift ? three(torque) : [0, 0, 0], seconds: FORCE_TIME,
    });
  }

  private cancel(): void {
    if (this.drag?.kind === 'grab') this.state.connection.command({ do: 'release' });
    this.drag = null;
    this.overlays.arrow = null;
    this.stage.controls.enabled = true;
  }

  private sendTarget(): void {
    if (this.target) this.state.connection.command({ do: 'drag', target: three(this.target), turn: null });
    this.target = null;
  }

  /** Once per picture: the newest target of the hand, the handles where the body is. */
  update(): void {
    this.sendTarget();
    if (!this.handled) return;
    const body = this.state.scene?.bodies.findIndex((b) => b.name === this.handled) ?? -1;
    if (body < 0) return;
    if (!this.handling) {
      this.proxy.position.copy(this.bodies.positions[body]!);
      this.proxy.quaternion.copy(this.bodies.rotations[body]!);
      return;
    }
    const p = this.proxy.position;
    const q = this.proxy.quaternion;
    const turn: [number, number, number, number] = [q.x, q.y, q.z, q.w];
    const c = this.state.connection;
    if (this.state.frame?.running) {
      // While it runs the handle pulls like a hand; joints keep what they hold.
      if (!this.handSent) c.command({ do: 'grab', body: this.handled, point: [0, 0, 0], target: three(p), turn, strength: this.state.strength });
      else c.command({ do: 'drag', target: three(p), turn });
      this.handSent = true;
    } else {
      c.command({ do: 'place', body: this.handled, position: three(p), rotation: turn });
    }
  }

  private endHandle(): void {
    if (this.handSent) this.state.connection.command({ do: 'release' });
    this.handSent = false;
  }
}
