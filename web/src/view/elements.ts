// Constraints between connectors, controllers, curves and fields (Wagner, 6.5.2.3): thin cylinders
// between the points that are linked, spheres where one point is led, cones along forces, small
// cubes at connectors, spheres for radial fields.

import * as THREE from 'three';
import type { AnchorView, ElementView, SceneView, Trouble } from '../bindings';
import type { Frame } from '../frame';
import type { Bodies } from './bodies';
import {
  CONTROLLER,
  CURVE,
  FIELD,
  HOLONOMIC,
  INACTIVE,
  MARKER,
  SELECTED,
  VELOCITY,
  troubled,
} from './colors';
import { automatic } from './connectors';
import { Segments } from './segments';

const ROLES: Record<string, THREE.Color> = {
  position: HOLONOMIC,
  velocity: VELOCITY,
  controller: CONTROLLER,
};

/** Kinds whose first points are an axis: its second point only tells a direction. */
const AXES = ['orientation', 'in-line', 'ortho', 'hinge', 'slide', 'universal'];

/** Most bodies whose own connectors are shown all at once. */
const MOST_AUTOMATIC = 60;

/** Something that can be clicked: the way between two points. */
export interface Target {
  name: string;
  a: THREE.Vector3;
  b: THREE.Vector3;
}

/** Equal solids, as many as there are, moved every frame. */
class Solids {
  readonly group = new THREE.Group();
  private mesh: THREE.InstancedMesh;
  private n = 0;
  private readonly m = new THREE.Matrix4();

  constructor(
    private readonly geometry: THREE.BufferGeometry,
    private readonly material: THREE.Material,
  ) {
    this.mesh = this.make(32);
  }

  private make(capacity: number): THREE.InstancedMesh {
    const mesh = new THREE.InstancedMesh(this.geometry, this.material, capacity);
    mesh.frustumCulled = false;
    mesh.renderOrder = 8;
    mesh.setColorAt(0, INACTIVE);
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    this.group.clear();
    this.group.add(mesh);
    return mesh;
  }

  begin(): void {
    this.n = 0;
  }

  add(at: THREE.Vector3, turn: THREE.Quaternion, scale: THREE.Vector3, color: THREE.Color): void {
    if (this.n >= this.mesh.instanceMatrix.count) {
      const old = this.mesh;
      this.mesh = this.make(2 * this.n);
      this.mesh.instanceMatrix.array.set(old.instanceMatrix.array);
      this.mesh.instanceColor!.array.set(old.instanceColor!.array);
      old.dispose();
    }
    this.mesh.setMatrixAt(this.n, this.m.compose(at, turn, scale));
    this.mesh.setColorAt(this.n++, color);
  }

  end(): void {
    this.mesh.count = this.n;
    this.mesh.visible = this.n > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.instanceColor!.needsUpdate = true;
  }
}

export class Elements {
  readonly group = new THREE.Group();
  /** How many of each sign were drawn; tests look at it. */
  counts = { cylinders: 0, spheres: 0, cones: 0, cubes: 0, fields: 0, curves: 0 };
  private readonly material = new THREE.MeshStandardMaterial({
    roughness: 0.45,
    depthTest: false,
    transparent: true,
    opacity: 0.9,
  });
  private readonly cylinders = new Solids(new THREE.CylinderGeometry(1, 1, 1, 10), this.material);
  private readonly spheres = new Solids(new THREE.SphereGeometry(1, 18, 12), this.material);
  private readonly cones = new Solids(
    new THREE.ConeGeometry(1, 1, 18).translate(0, 0.5, 0),
    this.material,
  );
  private readonly cubes = new Solids(new THREE.BoxGeometry(1, 1, 1), this.material);
  private readonly fields = new Solids(
    new THREE.SphereGeometry(1, 24, 16),
    new THREE.MeshStandardMaterial({ transparent: true, opacity: 0.4, depthWrite: false }),
  );
  private readonly curves = new Segments(3);
  private readonly up = new THREE.Vector3(0, 1, 0);
  private readonly turn = new THREE.Quaternion();

  constructor(private readonly bodies: Bodies) {
    for (const s of [this.cylinders, this.spheres, this.cones, this.cubes, this.fields])
      this.group.add(s.group);
    this.group.add(this.curves.lines);
  }

  /** Draws them, and adds what can be clicked. */
  update(
    scene: SceneView,
    frame: Frame,
    size: number,
    selected: Set<string>,
    on: { elements: boolean; connectors: boolean; fields: boolean; springs: boolean },
    targets: Target[],
    more: { hidden: ReadonlySet<string>; troubles: Map<string, Trouble>; automatic: boolean },
  ): void {
    const now = performance.now();
    const all = [this.cylinders, this.spheres, this.cones, this.cubes, this.fields];
    for (const s of [...all, this.curves]) s.begin();
    this.counts = { cylinders: 0, spheres: 0, cones: 0, cubes: 0, fields: 0, curves: 0 };
    const thin = new THREE.Vector3(0.2 * size, 1, 0.2 * size);
    for (const e of scene.elements) {
      if (more.hidden.has(e.name)) continue;
      const trouble = more.troubles.get(e.name);
      const usual = e.active ? ROLES[e.role]! : INACTIVE;
      const color = selected.has(e.name) ? SELECTED : trouble ? troubled(trouble.kind, now) : usual;
      const points = e.anchors.map((a) => this.place(a, frame));
      if (on.elements) this.element(e, points, size, thin, color, targets);
      if (on.connectors) this.connectors(points, size, color);
    }
    if (on.connectors && on.springs) {
      for (const s of scene.springs)
        this.connectors(
          [0, 1].map((k) => this.bodies.point(s.bodies[k]!, s.anchors[k]!)),
          size,
          selected.has(s.name) ? SELECTED : CONTROLLER,
        );
    }
    for (const m of scene.markers) {
      if (more.hidden.has(m.name)) continue;
      const at = this.bodies.point(m.body, m.at);
      const color = selected.has(m.name) ? SELECTED : MARKER;
      this.counts.cubes++;
      this.cubes.add(at, this.turn.identity(), new THREE.Vector3().setScalar(size), color);
      targets.push({ name: m.name, a: at, b: at });
    }
    // what the tool for points takes besides the surfaces (W-20)
    if (more.automatic && scene.bodies.length <= MOST_AUTOMATIC) {
      scene.bodies.forEach((body, k) => {
        if (more.hidden.has(body.name)) return;
        for (const p of automatic(body)) {
          const at = this.bodies.point(k, p);
          this.cubes.add(
            at,
            this.turn.identity(),
            new THREE.Vector3().setScalar(0.6 * size),
            INACTIVE,
          );
        }
      });
    }
    if (on.elements) {
      for (const c of scene.curves) {
        if (more.hidden.has(c.name)) continue;
        this.counts.curves++;
        for (let k = 1; k < c.points.length; k++) {
          const [a, b] = [
            new THREE.Vector3(...c.points[k - 1]!),
            new THREE.Vector3(...c.points[k]!),
          ];
          this.curves.add(a, b, selected.has(c.name) ? SELECTED : CURVE);
          targets.push({ name: c.name, a, b });
        }
      }
    }
    if (on.fields) {
      for (const f of scene.fields) {
        if (!f.center || more.hidden.has(f.name)) continue;
        const at = new THREE.Vector3(...f.center);
        this.counts.fields++;
        this.fields.add(
          at,
          this.turn.identity(),
          new THREE.Vector3().setScalar(3 * size),
          selected.has(f.name) ? SELECTED : f.active ? FIELD : INACTIVE,
        );
        targets.push({ name: f.name, a: at, b: at });
      }
    }
    for (const s of [...all, this.curves]) s.end();
  }

  private place(a: AnchorView, frame: Frame): THREE.Vector3 {
    if (a.moving === null || !frame.moving) return this.bodies.point(a.body, a.point);
    const [v, i] = [frame.moving, 3 * a.moving];
    return new THREE.Vector3(
      v[i]! + frame.origin[0],
      v[i + 1]! + frame.origin[1],
      v[i + 2]! + frame.origin[2],
    );
  }

  private connectors(points: THREE.Vector3[], size: number, color: THREE.Color): void {
    for (const p of points) {
      this.counts.cubes++;
      this.cubes.add(p, this.turn.identity(), new THREE.Vector3().setScalar(0.8 * size), color);
    }
  }

  private element(
    e: ElementView,
    points: THREE.Vector3[],
    size: number,
    thin: THREE.Vector3,
    color: THREE.Color,
    targets: Target[],
  ): void {
    const [first] = points;
    if (!first) return;
    if (e.force) {
      const force = new THREE.Vector3(...e.force);
      if (force.lengthSq() > 0) {
        const [wide, long] = [1.1 * size, 7 * size];
        this.counts.cones++;
        this.cones.add(
          first,
          this.turn.setFromUnitVectors(this.up, force.clone().normalize()),
          new THREE.Vector3(wide, long, wide),
          color,
        );
        targets.push({
          name: e.name,
          a: first,
          b: first.clone().addScaledVector(force.normalize(), long),
        });
      }
      return;
    }
    if (points.length === 1 || e.kind === 'point-to-function') {
      this.counts.spheres++;
      this.spheres.add(first, this.turn.identity(), new THREE.Vector3().setScalar(size), color);
      targets.push({ name: e.name, a: first, b: first });
    }
    // The second point of an axis says where it points, not how far it reaches.
    const axis = AXES.includes(e.kind);
    const ends = points.map((p, k) => {
      if (!axis || k % 2 === 0 || (e.kind === 'in-line' && k > 1)) return p;
      const d = p.clone().sub(points[k - 1]!);
      return points[k - 1]!.clone().add(d.setLength(Math.min(d.length(), 8 * size)));
    });
    for (let k = 1; k < ends.length; k++) {
      const [a, b] = [ends[k - 1]!, ends[k]!];
      const d = b.clone().sub(a);
      const long = d.length();
      if (!(long > 1e-6 * this.bodies.size)) {
        // what is met has no length: it can be clicked all the same (W-128, W-129)
        this.counts.spheres++;
        this.spheres.add(a, this.turn.identity(), new THREE.Vector3().setScalar(0.7 * size), color);
        targets.push({ name: e.name, a, b: a });
        continue;
      }
      this.counts.cylinders++;
      this.cylinders.add(
        a.clone().add(b).multiplyScalar(0.5),
        this.turn.setFromUnitVectors(this.up, d.divideScalar(long)),
        thin.clone().setY(long),
        color,
      );
      targets.push({ name: e.name, a, b });
    }
  }
}
