// A hand that holds a body: what it sends, as commands of the session like any other.

import * as THREE from 'three';
import type { HandMotion } from '../bindings';
import type { State } from '../state';
import type { Bodies } from '../view/bodies';
import type { Hand } from './hand';
import type { Reached } from './reach';

/** Least time between two messages of a hand, ms: a server takes 150 a second from each client. */
const INTERVAL = 20;
/** How fast a stick draws near or pushes away what is held by a ray, 1/s. */
const REEL = 1.5;

type Three = [number, number, number];
const three = (v: THREE.Vector3): Three => [v.x, v.y, v.z];

export class Grip {
  readonly body: string;
  /** The grip in the body's frame. */
  readonly local: THREE.Vector3;
  /** From the hand to the grip, in the hand's frame: none when it is held in the hand itself. */
  private readonly lever: THREE.Vector3;
  /** From the hand's rotation to the body's. */
  private readonly turn: THREE.Quaternion;
  private sent = 0;

  constructor(
    private readonly state: State,
    private readonly hand: Hand,
    readonly reached: Reached,
    bodies: Bodies,
  ) {
    this.body = state.scene!.bodies[reached.body]!.name;
    this.local = bodies.local(reached.body, reached.point);
    const back = hand.rotation.clone().invert();
    this.lever = reached.point.clone().sub(hand.position).applyQuaternion(back);
    this.turn = back.multiply(bodies.rotations[reached.body]!.clone());
    state.connection.command({
      do: 'hold',
      hand: hand.index,
      body: this.body,
      point: three(this.local),
      strength: state.strength,
      motion: this.motion(),
    });
  }

  /** Where the hand wants the grip, and how the body shall stand. */
  wanted(): { position: THREE.Vector3; rotation: THREE.Quaternion } {
    const out = this.lever.clone().applyQuaternion(this.hand.rotation);
    return {
      position: out.add(this.hand.position),
      rotation: this.hand.rotation.clone().multiply(this.turn),
    };
  }

  private motion(): HandMotion {
    const { position, rotation } = this.wanted();
    const { velocity, spin } = this.hand.motion;
    const arm = position.clone().sub(this.hand.position);
    const q = rotation.normalize();
    return {
      target: three(position),
      turn: [q.x, q.y, q.z, q.w],
      velocity: three(spin.clone().cross(arm).add(velocity)),
      spin: three(spin),
    };
  }

  /** Once per picture: draws the thing along the ray, and sends where the hand is. */
  update(now: number, dt: number): void {
    if (!this.reached.near) {
      const [, y] = this.hand.stick();
      if (Math.abs(y) > 0.2) this.lever.multiplyScalar(Math.exp(-REEL * y * dt));
    }
    if (now - this.sent < INTERVAL || !this.hand.seen) return;
    this.sent = now;
    this.state.connection.command({
      do: 'carry',
      hand: this.hand.index,
      motion: this.motion(),
    });
  }

  /** Opens: what was held leaves with the hand's velocity. */
  release(): void {
    const { velocity, spin } = this.motion();
    this.state.connection.command({ do: 'let_go', hand: this.hand.index, velocity, spin });
  }
}
