// One sign per kind of joint, along y; unit size, scaled where they are drawn.

import * as THREE from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';

const rod = (radius: number, length: number) =>
  new THREE.CylinderGeometry(radius, radius, length, 18);
const ball = (radius: number) => new THREE.SphereGeometry(radius, 18, 12);

const SHAPES: Record<string, () => THREE.BufferGeometry[]> = {
  hinge: () => [rod(0.35, 2.4)],
  cylindrical: () => [rod(0.5, 1.1), rod(0.16, 4)],
  direction: () => [rod(0.16, 2.6).translate(0.4, 0, 0), rod(0.16, 2.6).translate(-0.4, 0, 0)],
  universal: () => [rod(0.26, 2.2), rod(0.26, 2.2).rotateZ(Math.PI / 2)],
  'double-rotation': () => [
    new THREE.TorusGeometry(0.9, 0.22, 10, 28).rotateX(Math.PI / 2),
    rod(0.16, 2.6),
  ],
  ball: () => [ball(0.7)],
  rail: () => [ball(0.6)],
  polygon: () => [ball(0.6)],
  slider: () => [new THREE.BoxGeometry(0.6, 4, 0.6)],
  line: () => [rod(0.14, 4), ball(0.45)],
  plane: () => [rod(1.8, 0.12), ball(0.45)],
  fixed: () => [new THREE.BoxGeometry(1.1, 1.1, 1.1)],
  translation: () => [
    rod(0.16, 2.4),
    rod(0.16, 2.4).rotateX(Math.PI / 2),
    rod(0.16, 2.4).rotateZ(Math.PI / 2),
  ],
};

/** Kinds that are drawn as a line between their anchors. */
const LINES = ['distance', 'rope', 'free'];

/** The sign of a kind of joint; null for those that are lines. */
export function glyph(kind: string): THREE.BufferGeometry | null {
  if (LINES.includes(kind)) return null;
  const parts = (SHAPES[kind] ?? (() => [new THREE.OctahedronGeometry(0.9)]))();
  return mergeGeometries(parts.map((p) => (p.index ? p.toNonIndexed() : p)));
}
