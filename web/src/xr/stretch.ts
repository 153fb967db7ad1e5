// Two hands that close on nothing take the world itself: it follows them, turns about the vertical,
// and grows as they part. In truth the person does so the other way round.

import * as THREE from 'three';
import type { Hand } from './hand';
import type { Rig } from './rig';

export class Stretch {
  private readonly last: [THREE.Vector3, THREE.Vector3];

  constructor(
    private readonly hands: readonly [Hand, Hand],
    private readonly rig: Rig,
  ) {
    this.last = this.own();
  }

  /** The hands in the person's own coordinates: these do not change as the person is moved. */
  private own(): [THREE.Vector3, THREE.Vector3] {
    const back = this.rig.group.matrixWorld.clone().invert();
    const at = (h: Hand) => new THREE.Vector3().setFromMatrixPosition(h.matrix).applyMatrix4(back);
    return [at(this.hands[0]), at(this.hands[1])];
  }

  update(): void {
    const now = this.own();
    const between = ([a, b]: readonly [THREE.Vector3, THREE.Vector3]) => b.clone().sub(a);
    const middle = ([a, b]: readonly [THREE.Vector3, THREE.Vector3]) =>
      a.clone().add(b).multiplyScalar(0.5);
    const [was, is] = [between(this.last), between(now)];
    const world = (p: THREE.Vector3) => this.rig.group.localToWorld(p);
    // what was between the hands stays between them
    const [from, to] = [world(middle(this.last)), world(middle(now))];
    this.rig.move(from.sub(to));
    const held = world(middle(now));
    if (was.length() > 0.02 && is.length() > 0.02) {
      this.rig.grow(was.length() / is.length(), held);
      const angle = Math.atan2(is.z, is.x) - Math.atan2(was.z, was.x);
      this.rig.turn(Math.atan2(Math.sin(angle), Math.cos(angle)), held);
    }
    this.last[0].copy(now[0]);
    this.last[1].copy(now[1]);
  }
}
