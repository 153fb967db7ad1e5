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

  constructor(color: number, private capacity = 64) {
    this.material = new THREE.MeshBasicMaterial({ color, toneMapped: false });
    [this.shafts, this.heads] = this.make();
  }

  private make(): [THREE.InstancedMesh, THREE.InstancedMesh] {
    this.group.clear();
    const shaft = new THREE.InstancedMesh(new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0), this.material, this.capacity);
    const head = new THREE.InstancedMesh(new THREE.ConeGeometry(1, 1, 12).translate(0, 0.5, 0), this.material, this.capacity);
    for (const mesh of [shaft, head]) {
      mesh.frustumCulled = false;
      mesh.count = 0;
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      this.group.add(mesh);
    }
    return [shaft, head];
  }

  begin(): void {
    this.count = 0;
  }

  /** An arrow from a point; `thick` is its radius, m. */
  add(from: THREE.Vector3, vector: THREE.Vector3, thick: number): void {
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
    place(this.heads, from.clone().addScaledVector(vector, (length - head) / length), 2.4 * thick, head);
    this.count++;
  }

  end(): void {
    for (const mesh of [this.shafts, this.heads]) {
      mesh.count = this.count;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
}

/** Many line segments in one draw call, rewritten every frame. */
export class Segments {
  readonly lines: THREE.LineSegments;
  private positions = new Float32Array(600);
  private colors = new Float32Array(600);
  private n = 0;

  constructor(onTop = false) {
    const material = new THREE.LineBasicMaterial({ vertexColors: true, toneMapped: false, depthTest: !onTop, transparent: onTop });
    this.lines = new THREE.LineSegments(new THREE.BufferGeometry(), material);
    this.lines.frustumCulled = false;
    if (onTop) this.lines.renderOrder = 9;
  }

  begin(): void {
    this.n = 0;
  }

  add(a: THREE.Vector3, b: THREE.Vector3, c: THREE.Color): void {
    if (this.n + 6 > this.positions.length) {
      const grow = (old: Float32Array) => {
        const out = new Float32Array(old.length * 2);
        out.set(old);
        return out;
      };
      this.positions = grow(this.positions) as Float32Array<ArrayBuffer>;
      this.colors = grow(this.colors) as Float32Array<ArrayBuffer>;
    }
    this.positions.set([a.x, a.y, a.z, b.x, b.y, b.z], this.n);
    this.colors.set([c.r, c.g, c.b, c.r, c.g, c.b], this.n);
    this.n += 6;
  }

  end(): void {
    const g = this.lines.geometry;
    const there = g.getAttribute('position') as THREE.BufferAttribute | undefined;
    if (!there || there.array !== this.positions) {
      g.setAttribute('position', new THREE.BufferAttribute(this.positions, 3).setUsage(THREE.DynamicDrawUsage));
      g.setAttribute('color', new THREE.BufferAttribute(this.colors, 3).setUsage(THREE.DynamicDrawUsage));
    } else {
      there.needsUpdate = true;
      (g.getAttribute('color') as THREE.BufferAttribute).needsUpdate = true;
    }
    g.setDrawRange(0, this.n / 3);
  }
}
