// What a hand reaches: the body next to it, or the one that it points at.

import * as THREE from 'three';
import type { SceneView } from '../bindings';
import type { Bodies } from '../view/bodies';

/** How near a hand must be to a body's box to take it, m of the person's. */
const NEAR = 0.06;

export interface Reached {
  body: number;
  /** World coordinates, m. */
  point: THREE.Vector3;
  near: boolean;
}

/** The dynamic body whose box is nearest to a point, within `within` m; the smallest of several. */
export function near(
  bodies: Bodies,
  scene: SceneView,
  point: THREE.Vector3,
  within: number,
): number {
  let best = -1;
  let [least, smallest] = [within, Infinity];
  bodies.boxes.forEach((box, k) => {
    if (box.isEmpty() || scene.bodies[k]?.kind !== 'dynamic') return;
    const distance = box.distanceToPoint(bodies.local(k, point));
    const size = box.getSize(new THREE.Vector3()).length();
    if (distance < least || (distance <= least && size < smallest)) {
      [best, least, smallest] = [k, distance, size];
    }
  });
  return best;
}

/** What a hand reaches, near before far. */
export function reach(
  bodies: Bodies,
  scene: SceneView,
  at: THREE.Vector3,
  ray: THREE.Ray,
  scale: number,
): Reached | null {
  const close = near(bodies, scene, at, NEAR * scale);
  if (close >= 0) return { body: close, point: at.clone(), near: true };
  const caster = new THREE.Raycaster(ray.origin, ray.direction);
  const hit = bodies.pick(caster);
  if (!hit || scene.bodies[hit.body]?.kind !== 'dynamic') return null;
  return { body: hit.body, point: hit.point, near: false };
}
