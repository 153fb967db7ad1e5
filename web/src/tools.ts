// Hands: what the pointer does with bodies (B-106, B-107, W-138, W-146).

import * as THREE from 'three';
import { TransformControls } from 'three/addons/controls/TransformControls.js';
import { short } from './dom';
import type { State } from './state';
import type { Bodies } from './view/bodies';
import { automatic } from './view/connectors';
import type { Overlays } from './view/overlays';
import type { Stage } from './view/stage';

export const TOOLS = {
  select: {
    icon: 'select',
    label: 'Select (V)',
    key: 'v',
    hint: 'Click to select, Shift for several',
  },
  grab: {
    icon: 'grab',
    label: 'Grab (G)',
    key: 'g',
    hint: 'Drag a body: it follows as far as its joints allow',
  },
  push: {
    icon: 'push',
    label: 'Push (P)',
    key: 'p',
    hint: 'Drag from a body and let go: an impulse at that point',
  },
  force: {
    icon: 'force',
    label: 'Force (F)',
    key: 'f',
    hint: 'Drag from a body and let go: half a second of force at its centre of mass',
  },
  torque: {
    icon: 'torque',
    label: 'Torque (R)',
    key: 'r',
    hint: 'Drag over a body and let go: half a second of torque, as if you rolled it',
  },
  move: { icon: 'move', label: 'Move (M)', key: 'm', hint: 'Handles to move the selected body' },
  turn: { icon: 'turn', label: 'Turn (T)', key: 't', hint: 'Handles to turn the selected body' },
  scale: {
    icon: 'scale',
    label: 'Scale (S)',
    key: 's',
    hint: 'Handles to make the selected body larger or smaller; its density stays',
  },
  points: {
    icon: 'point',
    label: 'Points (K)',
    key: 'k',
    hint: 'Click marks a point of a body, near a corner, an end or the centre exactly there; constraints and joints are made between marks',
  },
} as const;
export type Tool = keyof typeof TOOLS;

/** Speed that a push gives per metre of arrow, 1/s. */
const PUSH = 4;
/** Acceleration that a force gives per metre of arrow, 1/s². */
const FORCE = 20;
/** How long a force acts, s. */
const FORCE_TIME = 0.5;

/** What tools do with their handles. */
const MODES: Record<string, 'translate' | 'rotate' | 'scale'> = {
  move: 'translate',
  turn: 'rotate',
  scale: 'scale',
};
/** How near to a connector of a body a click takes it, in pixels. */
const SNAP = 14;

type Three = [number, number, number];
const three = (v: THREE.Vector3): Three => [v.x, v.y, v.z];

export class Tools {
  private drag: {
    kind: Tool;
    /** The finger or pointer that drags. */
    pointer: number;
    body: number;
    from: THREE.Vector3;
    local: THREE.Vector3;
    x: number;
    y: number;
    moved: boolean;
  } | null = null;
  private target: THREE.Vector3 | null = null;
  private readonly handles: TransformControls;
  private readonly proxy = new THREE.Object3D();
  private handled = '';
  private handling = false;
  private handSent = false;
  /** What is to be selected when it is there. */
  private coming: string[] | null = null;

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
    c.addEventListener('pointercancel', (e) => this.cancel(e));
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
    state.on('scene', () => {
      const there = new Set(state.names());
      if (this.coming?.every((n) => there.has(n))) {
        state.select(this.coming);
        this.coming = null;
      }
      this.attach();
    });
  }

  /** The part of the handles under the pointer. */
  get handle(): string | null {
    return this.handled ? this.handles.axis : null;
  }

  /** Puts the handles on the selected body, if the tool has handles. */
  private attach(): void {
    const tool = this.state.tool;
    const mode = MODES[tool];
    const place = mode === 'translate' ? this.place() : null;
    const name = place?.name ?? this.state.bodies().at(-1) ?? '';
    const body = this.state.scene?.bodies.some((b) => b.name === name) ?? false;
    const wanted = mode !== undefined && (body || place !== null) && !this.state.isLocked(name);
    this.handled = wanted ? name : '';
    if (!wanted) {
      this.handles.detach();
      return;
    }
    this.handles.setMode(mode);
    // a size is that of the body's own axes
    this.handles.setSpace(tool === 'scale' || this.state.ownFrame ? 'local' : 'world');
    this.handles.attach(this.proxy);
  }

  /** A selected point that is no body: the centre of a field, or a marker. */
  private place(): { name: string; at: THREE.Vector3; set: (p: THREE.Vector3) => void } | null {
    const name = this.state.selected.at(-1) ?? '';
    const set = (key: string, p: THREE.Vector3) =>
      this.state.connection.command({
        do: 'set',
        object: name,
        key,
        value: { vector: three(p) },
      });
    const field = this.state.scene?.fields.find((f) => f.name === name);
    if (field?.center) {
      const at = new THREE.Vector3(...field.center);
      return { name, at, set: (p) => set('center', p) };
    }
    const marker = this.state.scene?.markers.find((m) => m.name === name);
    if (!marker) return null;
    const local = (p: THREE.Vector3) => (marker.body < 0 ? p : this.bodies.local(marker.body, p));
    const at = this.bodies.point(marker.body, marker.at);
    return { name, at, set: (p) => set('at', local(p)) };
  }

  /** Marks a point of a body: where it is clicked, or a connector of its own that is near. */
  private mark(body: number, point: THREE.Vector3, x: number, y: number, more: boolean): void {
    const view = this.state.scene?.bodies[body];
    if (!view) return;
    let best = this.bodies.local(body, point);
    let nearest = SNAP;
    for (const p of automatic(view)) {
      const s = this.stage.screen(this.bodies.point(body, p));
      const distance = Math.hypot(s.x - x, s.y - y);
      if (distance < nearest) [nearest, best] = [distance, new THREE.Vector3(...p)];
    }
    const taken = new Set(this.state.names());
    let k = 1;
    while (taken.has(`marker ${k}`)) k++;
    const name = `marker ${k}`;
    this.state.connection.command({
      do: 'add_marker',
      name,
      at: { body: view.name, point: three(best) },
    });
    // it is there with the next description
    const old = more ? this.state.selected : this.state.markers().map((m) => m.name);
    this.coming = [...old, name];
  }

  private down(e: PointerEvent): void {
    if (e.button !== 0 || !e.isPrimary || this.handles.axis) return;
    const tool = this.state.tool as Tool;
    const ray = this.stage.ray(e.clientX, e.clientY);
    const hit = this.bodies.pick(ray);
    const scene = this.state.scene;
    // Thin things lie over bodies only for the tool that selects; beside bodies any tool finds
    // them.
    const joint =
      tool === 'select' || !hit
        ? this.overlays.pick(ray, e.clientX, e.clientY, (p) => this.stage.screen(p))
        : null;
    if (hit) this.state.picked = three(hit.point);
    if (tool === 'points' && hit) {
      this.mark(hit.body, hit.point, e.clientX, e.clientY, true);
      return;
    }
    const name = joint ?? (hit ? scene?.bodies[hit.body]?.name : undefined);
    if (name) {
      if (e.shiftKey) this.state.toggle(name);
      else if (this.state.selected.at(-1) !== name) this.state.select([name]);
    }
    const holds = tool === 'grab' || tool === 'push' || tool === 'force' || tool === 'torque';
    const body = hit ? scene?.bodies[hit.body] : undefined;
    if (!hit || !holds || e.shiftKey || body?.kind !== 'dynamic') {
      this.drag = {
        kind: 'select',
        pointer: e.pointerId,
        body: name ? 0 : -1,
        from: new THREE.Vector3(),
        local: new THREE.Vector3(),
        x: e.clientX,
        y: e.clientY,
        moved: false,
      };
      return;
    }
    // The pointer belongs to the hand now, not to the camera.
    this.stage.controls.enabled = false;
    this.stage.canvas.setPointerCapture(e.pointerId);
    const local = this.bodies.local(hit.body, hit.point);
    this.drag = {
      kind: tool,
      pointer: e.pointerId,
      body: hit.body,
      from: hit.point,
      local,
      x: e.clientX,
      y: e.clientY,
      moved: false,
    };
    if (tool === 'grab') {
      this.state.connection.command({
        do: 'grab',
        body: body.name,
        point: three(local),
        target: three(hit.point),
        turn: null,
        strength: this.state.strength,
      });
    }
  }

  private moveTo(e: PointerEvent): void {
    const d = this.drag;
    if (!d || d.pointer !== e.pointerId) return;
    if (Math.hypot(e.clientX - d.x, e.clientY - d.y) > 4) d.moved = true;
    if (d.kind === 'select') return;
    const at = this.stage.onPlane(e.clientX, e.clientY, d.from);
    if (d.kind === 'grab') {
      this.target = at;
      return;
    }
    const body = this.state.scene?.bodies[d.body];
    if (!body) return;
    // A force acts at the centre of mass, an impulse where it was picked.
    const from =
      d.kind === 'push'
        ? this.bodies.point(d.body, three(d.local))
        : this.bodies.point(d.body, body.center);
    const arrow = at.sub(d.from);
    const wish = this.wish(d.kind, d.body, from, arrow);
    const unit = d.kind === 'push' ? 'N s' : d.kind === 'force' ? 'N' : 'N m';
    this.overlays.arrow = [from, arrow, `${short(wish.length(), 3)} ${unit}`];
  }

  /** What an arrow means: impulse, force or torque. */
  private wish(kind: Tool, body: number, from: THREE.Vector3, arrow: THREE.Vector3): THREE.Vector3 {
    const strength = this.state.strength * (this.state.scene?.bodies[body]?.mass ?? 0);
    if (kind === 'push') return arrow.clone().multiplyScalar(PUSH * strength);
    const force = arrow.clone().multiplyScalar(FORCE * strength);
    if (kind === 'force') return force;
    // A torque turns about the axis that the drag would roll the body around.
    const view = this.stage.world
      .worldToLocal(this.stage.camera.position.clone())
      .sub(from)
      .normalize();
    const reach = this.bodies.boxes[body]!.getSize(new THREE.Vector3()).length() / 4;
    return view.cross(force).multiplyScalar(reach);
  }

  private up(e: PointerEvent): void {
    const d = this.drag;
    // a second finger that leaves ends nothing
    if (d && d.pointer !== e.pointerId) return;
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
    const wish = three(this.wish(d.kind, d.body, arrow[0], arrow[1]));
    const none: Three = [0, 0, 0];
    if (d.kind === 'push')
      this.state.connection.command({
        do: 'push',
        body: body.name,
        impulse: wish,
        point: three(arrow[0]),
      });
    else if (d.kind === 'force')
      this.state.connection.command({
        do: 'force',
        body: body.name,
        force: wish,
        torque: none,
        seconds: FORCE_TIME,
      });
    else
      this.state.connection.command({
        do: 'force',
        body: body.name,
        force: none,
        torque: wish,
        seconds: FORCE_TIME,
      });
  }

  private cancel(e: PointerEvent): void {
    if (this.drag && this.drag.pointer !== e.pointerId) return;
    if (this.drag?.kind === 'grab') this.state.connection.command({ do: 'release' });
    this.drag = null;
    this.overlays.arrow = null;
    this.stage.controls.enabled = true;
  }

  private sendTarget(): void {
    if (this.target)
      this.state.connection.command({ do: 'drag', target: three(this.target), turn: null });
    this.target = null;
  }

  /** Once per frame: the newest target of the hand, the handles where the body is. */
  update(): void {
    this.sendTarget();
    if (!this.handled) return;
    const body = this.state.scene?.bodies.findIndex((b) => b.name === this.handled) ?? -1;
    if (body < 0) {
      const place = this.place();
      if (place && this.handling) place.set(this.proxy.position);
      else if (place) {
        this.proxy.position.copy(place.at);
        this.proxy.quaternion.identity();
      }
      return;
    }
    // a size is given when the handle is let go
    if (this.handling && this.state.tool === 'scale') {
      const s = this.proxy.scale;
      this.overlays.arrow = [
        this.bodies.positions[body]!,
        new THREE.Vector3(0, 0, 1e-6),
        [s.x, s.y, s.z].map((f) => short(f, 3)).join(' × '),
      ];
      return;
    }
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
      if (!this.handSent)
        c.command({
          do: 'grab',
          body: this.handled,
          point: [0, 0, 0],
          target: three(p),
          turn,
          strength: this.state.strength,
        });
      else c.command({ do: 'drag', target: three(p), turn });
      this.handSent = true;
    } else {
      c.command({ do: 'place', body: this.handled, position: three(p), rotation: turn });
    }
  }

  private endHandle(): void {
    if (this.state.tool === 'scale' && this.handled) {
      const factors = three(this.proxy.scale);
      this.proxy.scale.set(1, 1, 1);
      this.overlays.arrow = null;
      if (factors.some((f) => Math.abs(f - 1) > 1e-3))
        this.state.connection.command({ do: 'scale', body: this.handled, factors });
      return;
    }
    // Lets go; where the body was placed instead, this ends the edit that undo takes back.
    this.state.connection.command({ do: 'release' });
    this.handSent = false;
  }
}
