// Geometries of parts. Equal ones are shared; simple solids are one unit solid each, scaled per
// instance.

import * as THREE from 'three';
import type { GeometryView, PartView } from '../bindings';

/** Radius of mass points, as a share of the scene's size. */
export const POINT = 0.02;

export interface Solid {
  /** Parts with the same key share a geometry. */
  key: string;
  make: () => THREE.BufferGeometry;
  scale: [number, number, number];
}

/** Turns three's y-axis of cylinders and cones to z. */
const upright = (g: THREE.BufferGeometry) => g.rotateX(Math.PI / 2);

function bytes(text: string): ArrayBuffer {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) out[k] = raw.charCodeAt(k);
  return out.buffer;
}

/** A short key for a long text. */
function digest(text: string): string {
  let hash = 2166136261;
  for (let k = 0; k < text.length; k++) hash = Math.imul(hash ^ text.charCodeAt(k), 16777619);
  return `${text.length}:${hash >>> 0}`;
}

export function solid(g: GeometryView, size: number): Solid | null {
  switch (g.kind) {
    case 'box':
      return { key: 'box', make: () => new THREE.BoxGeometry(1, 1, 1), scale: g.size };
    case 'ellipsoid':
      return { key: 'ball', make: () => new THREE.SphereGeometry(1, 32, 20), scale: g.radii };
    case 'point': {
      const r = POINT * size;
      return { key: 'ball', make: () => new THREE.SphereGeometry(1, 32, 20), scale: [r, r, r] };
    }
    case 'cylinder':
      return {
        key: 'cylinder',
        make: () => upright(new THREE.CylinderGeometry(1, 1, 1, 40)),
        scale: [g.radius, g.radius, g.height],
      };
    case 'cone':
      return {
        key: 'cone',
        make: () => upright(new THREE.ConeGeometry(1, 1, 40)),
        scale: [g.radius, g.radius, g.height],
      };
    case 'capsule': {
      // A capsule does not survive uneven scaling: one geometry per slenderness.
      const slender = g.height / g.radius;
      return {
        key: `capsule ${slender.toPrecision(6)}`,
        make: () => upright(new THREE.CapsuleGeometry(1, slender, 10, 28)),
        scale: [g.radius, g.radius, g.radius],
      };
    }
    case 'plane':
      return null;
    case 'mesh':
      return {
        key: `mesh ${digest(g.vertices)} ${digest(g.triangles)}`,
        make: () => {
          let geometry = new THREE.BufferGeometry();
          geometry.setAttribute(
            'position',
            new THREE.BufferAttribute(new Float32Array(bytes(g.vertices)), 3),
          );
          geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(bytes(g.triangles)), 1));
          if (g.flat) geometry = geometry.toNonIndexed();
          geometry.computeVertexNormals();
          return geometry;
        },
        scale: [1, 1, 1],
      };
  }
}

/** Half the extent of a part along its own axes. */
export function extent(part: PartView, size: number): THREE.Box3 {
  const box = new THREE.Box3();
  const g = part.geometry;
  const half = (x: number, y: number, z: number) =>
    box.set(new THREE.Vector3(-x, -y, -z), new THREE.Vector3(x, y, z));
  switch (g.kind) {
    case 'box':
      half(g.size[0] / 2, g.size[1] / 2, g.size[2] / 2);
      break;
    case 'ellipsoid':
      half(...g.radii);
      break;
    case 'cylinder':
    case 'cone':
      half(g.radius, g.radius, g.height / 2);
      break;
    case 'capsule':
      half(g.radius, g.radius, g.height / 2 + g.radius);
      break;
    case 'mesh':
      box.setFromArray(Array.from(new Float32Array(bytes(g.vertices))));
      break;
    case 'point':
      half(POINT * size, POINT * size, POINT * size);
      break;
    case 'plane':
      return box;
  }
  const m = new THREE.Matrix4().compose(
    new THREE.Vector3(...part.position),
    new THREE.Quaternion(...part.rotation),
    new THREE.Vector3(1, 1, 1),
  );
  return box.applyMatrix4(m);
}
