// Velocities of a hand: those of the headset where it tells them, else from its last poses.

import * as THREE from 'three';

/** Poses that are looked back on, s: long enough for jitter, short enough for a throw. */
const WINDOW = 0.06;

interface Pose {
  time: number;
  position: THREE.Vector3;
  rotation: THREE.Quaternion;
}

export class Motion {
  readonly velocity = new THREE.Vector3();
  readonly spin = new THREE.Vector3();
  private past: Pose[] = [];

  /** Another place, such as after a step of the person: what was before does not count. */
  forget(): void {
    this.past = [];
    this.velocity.set(0, 0, 0);
    this.spin.set(0, 0, 0);
  }

  /** A pose of the world at a time (s), and what the headset says about its rates, if it does. */
  add(
    time: number,
    position: THREE.Vector3,
    rotation: THREE.Quaternion,
    told: { velocity: THREE.Vector3; spin: THREE.Vector3 } | null,
  ): void {
    this.past.push({ time, position: position.clone(), rotation: rotation.clone() });
    while (this.past.length > 2 && time - this.past[0]!.time > WINDOW) this.past.shift();
    if (told) {
      this.velocity.copy(told.velocity);
      this.spin.copy(told.spin);
      return;
    }
    const first = this.past[0]!;
    const span = time - first.time;
    if (!(span > 1e-4)) return;
    this.velocity.copy(position).sub(first.position).divideScalar(span);
    const turn = rotation.clone().multiply(first.rotation.clone().invert());
    if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
    const axis = new THREE.Vector3(turn.x, turn.y, turn.z);
    const s = axis.length();
    this.spin.copy(axis).multiplyScalar(s > 1e-9 ? (2 * Math.atan2(s, turn.w)) / (s * span) : 0);
  }
}
