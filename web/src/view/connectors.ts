// The connectors that every body has by itself (W-20): its centre of mass, and corners, middles of
// faces and ends of its solids.

import * as THREE from 'three';
import type { BodyView } from '../bindings';

type Three = [number, number, number];

const SIGNS = [-1, 1];
const FACES: Three[] = [
  [1, 0, 0],
  [-1, 0, 0],
  [0, 1, 0],
  [0, -1, 0],
  [0, 0, 1],
  [0, 0, -1],
];

/** Of a solid, in its own frame. */
function own(g: BodyView['parts'][number]['geometry']): Three[] {
  switch (g.kind) {
    case 'box': {
      const [x, y, z] = g.size.map((s) => s / 2) as Three;
      const corners = SIGNS.flatMap((i) =>
        SIGNS.flatMap((j) => SIGNS.map((k): Three => [i * x, j * y, k * z])),
      );
      return [...corners, ...FACES.map(([i, j, k]): Three => [i * x, j * y, k * z])];
    }
    case 'ellipsoid':
      return FACES.map(([i, j, k]) => [i * g.radii[0], j * g.radii[1], k * g.radii[2]]);
    case 'cylinder':
    case 'cone':
      return SIGNS.map((k) => [0, 0, (k * g.height) / 2]);
    case 'capsule':
      return SIGNS.map((k) => [0, 0, k * (g.height / 2 + g.radius)]);
    default:
      return [];
  }
}

/** In the frame of the body. */
export function automatic(body: BodyView): Three[] {
  const out: Three[] = [body.center];
  for (const part of body.parts) {
    const turn = new THREE.Quaternion(...part.rotation);
    const at = new THREE.Vector3(...part.position);
    for (const p of own(part.geometry)) {
      const q = new THREE.Vector3(...p).applyQuaternion(turn).add(at);
      out.push([q.x, q.y, q.z]);
    }
  }
  return out;
}
