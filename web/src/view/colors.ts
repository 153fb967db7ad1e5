// Colours of what is drawn besides bodies.

import * as THREE from 'three';

/**
 * By kind of condition: positions blue, velocities red, controllers yellow, inactive grey (Wagner,
 * 6.5.2.3).
 */
export const HOLONOMIC = new THREE.Color(0x3d8bff);
export const VELOCITY = new THREE.Color(0xff4d4d);
export const CONTROLLER = new THREE.Color(0xffc400);
export const INACTIVE = new THREE.Color(0x8a8f98);
export const BROKEN = new THREE.Color(0x9c1f1f);
export const CONFLICT = new THREE.Color(0xff7a1a);
export const MARKER = new THREE.Color(0xffe08a);
export const SELECTED = new THREE.Color(0xffffff);
export const CURVE = new THREE.Color(0x2fd27a);
export const FIELD = new THREE.Color(0xb98cff);

/** What is wrong for good is dark red, what is wrong now pulses in orange. */
export function troubled(kind: string, now: number): THREE.Color {
  if (kind === 'broken' || kind === 'switched off') return BROKEN;
  return CONFLICT.clone().lerp(SELECTED, 0.35 * (1 + Math.sin(now / 160)) * 0.5);
}
