// What is seen of a hand: the hand itself at what it holds, a pale one where it truly is when the
// two differ, and the ray that it points with.

import * as THREE from 'three';
import type { Hand } from './hand';

/** Radius of a drawn hand, m of the person's. */
const RADIUS = 0.018;
/** Radius of a joint of a tracked hand. */
const JOINT = 0.007;
/** Difference at which the true hand is shown, m of the person's. */
const APART = 0.01;
const COLORS = [0x4aa3ff, 0xff9f40];

/** A palm with a pointer, or the joints of a tracked hand. */
class Shape {
  readonly group = new THREE.Group();
  private readonly palm: THREE.Group;
  private readonly joints: THREE.InstancedMesh;

  constructor(material: THREE.Material) {
    const ball = new THREE.SphereGeometry(RADIUS, 16, 12);
    const cone = new THREE.ConeGeometry(0.6 * RADIUS, 2.6 * RADIUS, 12);
    cone.rotateX(-Math.PI / 2).translate(0, 0, -1.8 * RADIUS);
    this.palm = new THREE.Group();
    this.palm.add(new THREE.Mesh(ball, material), new THREE.Mesh(cone, material));
    this.joints = new THREE.InstancedMesh(new THREE.SphereGeometry(JOINT, 8, 6), material, 25);
    this.joints.frustumCulled = false;
    this.group.add(this.palm, this.joints);
  }

  /** Puts the shape where a hand is, moved by `away` (three's coordinates). */
  put(hand: Hand, scale: number, away: THREE.Matrix4): void {
    const tracked = hand.joints.length > 0;
    this.palm.visible = !tracked;
    this.joints.visible = tracked;
    const m = hand.matrix.clone().premultiply(away);
    const [p, q] = [new THREE.Vector3(), new THREE.Quaternion()];
    m.decompose(p, q, new THREE.Vector3());
    this.palm.position.copy(p);
    this.palm.quaternion.copy(q);
    this.palm.scale.setScalar(scale);
    this.joints.count = hand.joints.length;
    const place = new THREE.Matrix4();
    hand.joints.forEach((joint, k) => {
      place.makeScale(scale, scale, scale).setPosition(joint.clone().applyMatrix4(away));
      this.joints.setMatrixAt(k, place);
    });
    this.joints.instanceMatrix.needsUpdate = true;
  }
}

export class HandPicture {
  readonly group = new THREE.Group();
  /** How far the drawn hand is from the true one, m of the person's. */
  apart = 0;
  private readonly solid: Shape;
  private readonly ghost: Shape;
  private readonly line: THREE.Line;

  constructor(index: 0 | 1) {
    const color = COLORS[index];
    this.solid = new Shape(new THREE.MeshStandardMaterial({ color, roughness: 0.6 }));
    this.ghost = new Shape(
      new THREE.MeshBasicMaterial({ color, transparent: true, opacity: 0.3, depthWrite: false }),
    );
    const ends = new THREE.BufferGeometry().setFromPoints([
      new THREE.Vector3(),
      new THREE.Vector3(),
    ]);
    const thin = new THREE.LineBasicMaterial({ color, transparent: true, opacity: 0.7 });
    this.line = new THREE.Line(ends, thin);
    this.line.frustumCulled = false;
    this.group.add(this.solid.group, this.ghost.group, this.line);
    this.group.visible = false;
  }

  /**
   * `away` takes the true hand to where what it holds is; `end` is where its ray ends, if it shall
   * be seen.
   */
  update(hand: Hand, scale: number, away: THREE.Matrix4, end: THREE.Vector3 | null): void {
    this.group.visible = hand.seen;
    if (!hand.seen) return;
    this.solid.put(hand, scale, away);
    const at = new THREE.Vector3().setFromMatrixPosition(hand.matrix);
    this.apart = at.distanceTo(at.clone().applyMatrix4(away)) / scale;
    this.ghost.group.visible = this.apart > APART;
    if (this.ghost.group.visible) this.ghost.put(hand, scale, new THREE.Matrix4());
    this.line.visible = end !== null;
    if (!end) return;
    const places = this.line.geometry.getAttribute('position') as THREE.BufferAttribute;
    places.setXYZ(0, hand.ray.origin.x, hand.ray.origin.y, hand.ray.origin.z);
    places.setXYZ(1, end.x, end.y, end.z);
    places.needsUpdate = true;
  }
}
