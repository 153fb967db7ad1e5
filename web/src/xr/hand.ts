// One hand: a controller or a tracked hand, in the world's coordinates.

import * as THREE from 'three';
import { Motion } from './motion';
import type { Rig } from './rig';

/** Joints of a tracked hand. */
const JOINTS = 25;

export class Hand {
  source: XRInputSource | null = null;
  /** Whether it was seen in this picture. */
  seen = false;
  /** Where it holds: the grip of a controller, the tips of a pinch. World coordinates, m. */
  readonly position = new THREE.Vector3();
  readonly rotation = new THREE.Quaternion();
  readonly motion = new Motion();
  /** Where it points, three's coordinates. */
  readonly ray = new THREE.Ray();
  /** Its grip in three's coordinates. */
  readonly matrix = new THREE.Matrix4();
  /** Joints of a tracked hand, three's coordinates. */
  readonly joints: THREE.Vector3[] = [];

  constructor(
    readonly index: 0 | 1,
    private readonly rig: Rig,
    private readonly world: THREE.Object3D,
  ) {}

  /** Reads the poses of this picture. */
  read(frame: XRFrame, space: XRReferenceSpace, time: number): void {
    this.seen = false;
    this.joints.length = 0;
    const source = this.source;
    if (!source) return this.motion.forget();
    const aim = frame.getPose(source.targetRaySpace, space);
    const pose = (source.gripSpace && frame.getPose(source.gripSpace, space)) ?? aim;
    if (!pose || !aim) return this.motion.forget();
    this.seen = true;
    this.matrix.fromArray(pose.transform.matrix).premultiply(this.rig.group.matrixWorld);
    if (source.hand) this.pinch(frame, space, source.hand);

    // where it points
    const m = new THREE.Matrix4()
      .fromArray(aim.transform.matrix)
      .premultiply(this.rig.group.matrixWorld);
    this.ray.origin.setFromMatrixPosition(m);
    this.ray.direction.set(0, 0, -1).transformDirection(m);

    // the same in the world, with its rates
    const own = this.matrix.clone().premultiply(this.world.matrixWorld.clone().invert());
    own.decompose(this.position, this.rotation, new THREE.Vector3());
    const { linearVelocity: v, angularVelocity: w } = pose;
    const turn = new THREE.Quaternion()
      .setFromRotationMatrix(this.world.matrixWorld)
      .invert()
      .multiply(this.rig.group.quaternion);
    const told =
      v && w && !source.hand
        ? {
            velocity: new THREE.Vector3(v.x, v.y, v.z)
              .multiplyScalar(this.rig.scale)
              .applyQuaternion(turn),
            spin: new THREE.Vector3(w.x, w.y, w.z).applyQuaternion(turn),
          }
        : null;
    this.motion.add(time, this.position, this.rotation, told);
  }

  /** A tracked hand holds between the tips of thumb and forefinger. */
  private pinch(frame: XRFrame, space: XRReferenceSpace, hand: XRHand): void {
    const at = new Map<string, THREE.Vector3>();
    for (const [name, joint] of hand) {
      const pose = frame.getJointPose?.(joint, space);
      if (!pose) continue;
      const p = pose.transform.position;
      const there = new THREE.Vector3(p.x, p.y, p.z).applyMatrix4(this.rig.group.matrixWorld);
      at.set(name, there);
      if (this.joints.length < JOINTS) this.joints.push(there);
    }
    const [thumb, finger] = [at.get('thumb-tip'), at.get('index-finger-tip')];
    if (thumb && finger) this.matrix.setPosition(thumb.clone().add(finger).multiplyScalar(0.5));
  }

  /** The stick of its controller; zeros without one. */
  stick(): [number, number] {
    const axes = this.source?.gamepad?.axes;
    if (!axes || axes.length < 2) return [0, 0];
    // the xr-standard mapping has the stick behind the touchpad
    return axes.length >= 4 ? [axes[2]!, axes[3]!] : [axes[0]!, axes[1]!];
  }
}
