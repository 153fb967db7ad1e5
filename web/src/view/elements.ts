// Constraints between connectors, controllers and curves: a cross at every connector, lines between them.

import * as THREE from 'three';
import type { ElementView, SceneView } from '../bindings';
import { Segments } from './arrows';
import type { Bodies } from './bodies';

/** Colours by role (Wagner, 6.5.2.3): positions blue, velocities red, controllers yellow, inactive grey; curves green. */
const COLORS: Record<string, THREE.Color> = {
  position: new THREE.Color(0x3d8bff), velocity: new THREE.Color(0xff4d4d), controller: new THREE.Color(0xffc400),
};
const INACTIVE = new THREE.Color(0x8a8f98);
const SELECTED = new THREE.Color(0xffffff);
const CURVE = new THREE.Color(0x2fd27a);

export class Elements {
  readonly group = new THREE.Group();
  private readonly lines = new Segments(true);

  constructor(private readonly bodies: Bodies) {
    this.group.add(this.lines.lines);
  }

  update(scene: SceneView, size: number, selected: Set<string>, on: boolean): void {
    this.lines.begin();
    if (on) {
      for (const e of scene.elements) this.element(e, size, selected.has(e.name));
      for (const c of scene.curves) {
        for (let k = 1; k < c.points.length; k++) {
          this.lines.add(new THREE.Vector3(...c.points[k - 1]!), new THREE.Vector3(...c.points[k]!), CURVE);
        }
      }
    }
    this.lines.end();
  }

  private element(e: ElementView, size: number, selected: boolean): void {
    const color = selected ? SELECTED : e.active ? COLORS[e.role]! : INACTIVE;
    const points = e.anchors.map((a) => this.bodies.point(a.body, a.point));
    points.forEach((p, k) => {
      for (const axis of [0, 1, 2]) {
        const d = new THREE.Vector3().setComponent(axis, 0.9 * size);
        this.lines.add(p.clone().sub(d), p.clone().add(d), color);
      }
      if (k > 0) this.lines.add(points[k - 1]!, p, color);
    });
  }
}
