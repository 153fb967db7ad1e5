// Many arrows in two draw calls.

import * as THREE from 'three';

export class Arrows {
  readonly group = new THREE.Group();
  private shafts: THREE.InstancedMesh;
  private heads: THREE.InstancedMesh;
  private count = 0;
  private readonly material: THREE.MeshBasicMaterial;
  private readonly m = new THREE.Matrix4();
  private readonly q = new THREE.Quaternion();
  private readonly up = new THREE.Vector3(0, 1, 0);

  constructor(
    color: number,
    private capacity = 64,
  ) {
    // In front of everything: forces act inside of bodies and between them, where nothing would be
    // seen of them.
    this.material = new THREE.MeshBasicMaterial({
      color,
      toneMapped: false,
      depthTest: false,
      transparent: true,
      opacity: 0.9,
    });
    [this.shafts, this.heads] = this.make();
  }

  private make(): [THREE.InstancedMesh, THREE.InstancedMesh] {
    this.group.clear();
    const shaft = new THREE.InstancedMesh(
      new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0),
      this.material,
      this.capacity,
    );
    const head = new THREE.InstancedMesh(
      new THREE.ConeGeometry(1, 1, 12).translate(0, 0.5, 0),
      this.material,
      this.capacity,
    );
    for (const mesh of [shaft, head]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 9;
      mesh.count = 0;
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      this.group.add(mesh);
    }
    return [shaft, head];
  }

  begin(): void {
    this.count = 0;
  }

  /**
   * An arrow from a point; `thick` is its radius, m. All or none of them have a colour of their
   * own.
   */
  add(from: THREE.Vector3, vector: THREE.Vector3, thick: number, color?: THREE.Color): void {
    const length = vector.length();
    if (!(length > thick * 0.5) || !Number.isFinite(length)) return;
    if (this.count >= this.capacity) {
      const [a, b] = [this.shafts.instanceMatrix.array, this.heads.instanceMatrix.array];
      this.capacity *= 2;
      [this.shafts, this.heads] = this.make();
      this.shafts.instanceMatrix.array.set(a);
      this.heads.instanceMatrix.array.set(b);
    }
    this.q.setFromUnitVectors(this.up, vector.clone().divideScalar(length));
    const head = Math.min(5 * thick, 0.45 * length);
    const place = (mesh: THREE.InstancedMesh, at: THREE.Vector3, r: number, l: number) =>
      mesh.setMatrixAt(this.count, this.m.compose(at, this.q, new THREE.Vector3(r, l, r)));
    place(this.shafts, from, thick, length - head);
    place(
      this.heads,
      from.clone().addScaledVector(vector, (length - head) / length),
      2.4 * thick,
      head,
    );
    if (color) for (const mesh of [this.shafts, this.heads]) mesh.setColorAt(this.count, color);
    this.count++;
  }

  end(): void {
    for (const mesh of [this.shafts, this.heads]) {
      mesh.count = this.count;
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }
}
