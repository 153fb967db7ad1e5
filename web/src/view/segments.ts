// Many line segments in one draw call, rewritten every frame, with a width in pixels that no zoom
// changes (W-130).

import * as THREE from 'three';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import { LineSegments2 } from 'three/addons/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/addons/lines/LineSegmentsGeometry.js';

export class Segments {
  readonly lines: LineSegments2;
  private positions = new Float32Array(600);
  private colors = new Float32Array(600);
  private attached: Float32Array | null = null;
  private n = 0;

  constructor(width: number, onTop = false) {
    const material = new LineMaterial({
      vertexColors: true,
      linewidth: width,
      toneMapped: false,
      depthTest: !onTop,
      transparent: onTop,
    });
    this.lines = new LineSegments2(new LineSegmentsGeometry(), material);
    this.lines.frustumCulled = false;
    // Without segments there is nothing that could be drawn.
    this.lines.visible = false;
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
    const [p, q, n] = [this.positions, this.colors, this.n];
    p[n] = a.x;
    p[n + 1] = a.y;
    p[n + 2] = a.z;
    p[n + 3] = b.x;
    p[n + 4] = b.y;
    p[n + 5] = b.z;
    q[n] = q[n + 3] = c.r;
    q[n + 1] = q[n + 4] = c.g;
    q[n + 2] = q[n + 5] = c.b;
    this.n += 6;
  }

  end(): void {
    this.lines.visible = this.n > 0;
    const g = this.lines.geometry;
    if (this.attached !== this.positions) {
      this.attached = this.positions;
      const pairs = (array: Float32Array, names: [string, string]) => {
        const buffer = new THREE.InstancedInterleavedBuffer(array, 6, 1).setUsage(
          THREE.DynamicDrawUsage,
        );
        g.setAttribute(names[0], new THREE.InterleavedBufferAttribute(buffer, 3, 0));
        g.setAttribute(names[1], new THREE.InterleavedBufferAttribute(buffer, 3, 3));
      };
      pairs(this.positions, ['instanceStart', 'instanceEnd']);
      pairs(this.colors, ['instanceColorStart', 'instanceColorEnd']);
    }
    for (const name of ['instanceStart', 'instanceColorStart'])
      (g.getAttribute(name) as THREE.InterleavedBufferAttribute).data.needsUpdate = true;
    g.instanceCount = this.n / 6;
  }
}
