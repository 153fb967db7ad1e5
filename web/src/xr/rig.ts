// Where the person stands in the world, and how large they are in it. The camera hangs in this
// group while a headset is on; nothing but the person moves it.

import * as THREE from 'three';

/** Largest and least size of a person, in metres of the world for one of their own. */
const SIZES: [number, number] = [1e-3, 1e4];
/** Height of a table, m of the person's. */
const TABLE = 0.8;
/** Size of a scene on it, m of the person's. */
const ON_TABLE = 0.7;
/** Scenes between these sizes (m) are met one to one. */
const LIFE: [number, number] = [0.3, 8];

export class Rig {
  readonly group = new THREE.Group();

  /** Metres of the world for one of the person's. */
  get scale(): number {
    return this.group.scale.x;
  }

  /**
   * Puts the person before a scene (three's coordinates), looking the way the desktop's camera
   * looked: one to one on its floor, or with the scene on a table.
   */
  place(box: THREE.Box3, floor: number, look: THREE.Vector3, table: boolean): void {
    const size = box.isEmpty() ? 1 : Math.max(box.getSize(new THREE.Vector3()).length(), 1e-6);
    const center = box.isEmpty() ? new THREE.Vector3() : box.getCenter(new THREE.Vector3());
    const scale = table ? size / ON_TABLE : 1;
    const ahead = look.clone().setY(0);
    if (ahead.lengthSq() < 1e-12) ahead.set(0, 0, -1);
    ahead.normalize();
    const distance = table ? 0.75 * scale : 0.5 * size + 0.5;
    this.group.scale.setScalar(scale);
    this.group.rotation.set(0, Math.atan2(-ahead.x, -ahead.z), 0);
    this.group.position.copy(center).addScaledVector(ahead, -distance);
    this.group.position.y = table ? Math.min(floor, box.min.y) - TABLE * scale : floor;
    this.group.updateMatrixWorld(true);
  }

  /** Whether a scene of this size is met one to one at first. */
  static isLife(size: number): boolean {
    return size >= LIFE[0] && size <= LIFE[1];
  }

  /** Turns the person about a point (three's coordinates), rad about the vertical. */
  turn(angle: number, about: THREE.Vector3): void {
    const p = this.group.position.sub(about);
    p.applyAxisAngle(new THREE.Vector3(0, 1, 0), angle);
    this.group.position.copy(p.add(about));
    this.group.rotation.y += angle;
    this.group.updateMatrixWorld(true);
  }

  /** Puts the person's feet below the head at a point of the floor. */
  step(to: THREE.Vector3, head: THREE.Vector3): void {
    this.group.position.x += to.x - head.x;
    this.group.position.z += to.z - head.z;
    this.group.position.y = to.y;
    this.group.updateMatrixWorld(true);
  }

  /** Makes the person larger by a factor about a point that stays where it is seen. */
  grow(factor: number, about: THREE.Vector3): void {
    const scale = THREE.MathUtils.clamp(this.scale * factor, ...SIZES);
    const real = scale / this.scale;
    this.group.position.sub(about).multiplyScalar(real).add(about);
    this.group.scale.setScalar(scale);
    this.group.updateMatrixWorld(true);
  }

  move(by: THREE.Vector3): void {
    this.group.position.add(by);
    this.group.updateMatrixWorld(true);
  }
}
