// Ways through the world with the sticks: forward points at a place and letting go steps there,
// sideways turns by an eighth. Nothing moves smoothly: that makes people sick.

import * as THREE from 'three';
import type { Hand } from './hand';
import type { Rig } from './rig';

/** How far a stick must be moved, and how near to its middle it counts as let go. */
const [FAR, REST] = [0.7, 0.3];
const EIGHTH = Math.PI / 4;
/** Farthest step, m of the person's. */
const LONGEST = 12;

export class Walk {
  /** The place that is pointed at, three's coordinates; none while nobody does. */
  place: THREE.Vector3 | null = null;
  private state: 'rest' | 'aims' | 'turned' = 'rest';

  constructor(private readonly rig: Rig) {}

  /** True when the person was moved. */
  update(hand: Hand, head: THREE.Vector3, floor: number): boolean {
    const [x, y] = hand.stick();
    if (this.state === 'rest') {
      if (Math.abs(x) > FAR && Math.abs(x) > Math.abs(y)) {
        this.state = 'turned';
        this.rig.turn(-Math.sign(x) * EIGHTH, head);
        return true;
      }
      if (y < -FAR) this.state = 'aims';
      return false;
    }
    if (this.state === 'aims') {
      const there = this.aim(hand, floor);
      if (Math.hypot(x, y) > REST) {
        this.place = there;
        return false;
      }
      const to = this.place;
      this.place = null;
      this.state = 'rest';
      if (to) this.rig.step(to, head);
      return to !== null;
    }
    if (Math.hypot(x, y) < REST) this.state = 'rest';
    return false;
  }

  /** Where the ray of a hand meets the floor. */
  private aim(hand: Hand, floor: number): THREE.Vector3 | null {
    const plane = new THREE.Plane(new THREE.Vector3(0, 1, 0), -floor);
    const hit = hand.ray.intersectPlane(plane, new THREE.Vector3());
    const far = hit && hit.distanceTo(hand.ray.origin) > LONGEST * this.rig.scale;
    return far ? null : hit;
  }
}
