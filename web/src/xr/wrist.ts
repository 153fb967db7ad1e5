// The panel on the wrist: what the desktop's bars do, pressed by the other hand's ray or finger.

import * as THREE from 'three';

export interface Key {
  id: string;
  /** What stands on it; asked in every picture. */
  label: () => string;
  press: () => void;
}

/** Keys in a row. */
const COLUMNS = 4;
/** Size of a key on the canvas, pixels, and of the panel, m of the person's. */
const [WIDE, HIGH] = [160, 84];
const WIDTH = 0.26;

export class Wrist {
  readonly mesh: THREE.Mesh<THREE.PlaneGeometry, THREE.MeshBasicMaterial>;
  private readonly canvas = document.createElement('canvas');
  private readonly texture: THREE.CanvasTexture;
  private shown = '';
  private pointed = -1;

  constructor(private readonly keys: Key[]) {
    const rows = Math.ceil(keys.length / COLUMNS);
    this.canvas.width = COLUMNS * WIDE;
    this.canvas.height = rows * HIGH;
    this.texture = new THREE.CanvasTexture(this.canvas);
    this.texture.colorSpace = THREE.SRGBColorSpace;
    this.mesh = new THREE.Mesh(
      new THREE.PlaneGeometry(WIDTH, (WIDTH * this.canvas.height) / this.canvas.width),
      new THREE.MeshBasicMaterial({ map: this.texture, side: THREE.DoubleSide, toneMapped: false }),
    );
    this.mesh.visible = false;
  }

  /** Puts the panel above a wrist, facing the head; all in three's coordinates. */
  put(wrist: THREE.Matrix4, head: THREE.Vector3, scale: number): void {
    const at = new THREE.Vector3().setFromMatrixPosition(wrist);
    this.mesh.position.copy(at).y += 0.14 * scale;
    this.mesh.scale.setScalar(scale);
    this.mesh.lookAt(head);
    this.mesh.updateMatrixWorld(true);
  }

  /** The key that a ray meets, and where; −1 for none. */
  hit(ray: THREE.Ray): { key: number; point: THREE.Vector3 } {
    const none = { key: -1, point: new THREE.Vector3() };
    if (!this.mesh.visible) return none;
    const found = new THREE.Raycaster(ray.origin, ray.direction).intersectObject(this.mesh)[0];
    if (!found?.uv) return none;
    const rows = this.canvas.height / HIGH;
    const [x, y] = [Math.floor(found.uv.x * COLUMNS), Math.floor((1 - found.uv.y) * rows)];
    const key = y * COLUMNS + x;
    return { key: key < this.keys.length ? key : -1, point: found.point };
  }

  /** The middle of a key, three's coordinates. */
  center(id: string): THREE.Vector3 {
    const k = this.keys.findIndex((key) => key.id === id);
    const rows = this.canvas.height / HIGH;
    const [x, y] = [(k % COLUMNS) + 0.5, Math.floor(k / COLUMNS) + 0.5];
    const p = this.mesh.geometry.parameters;
    const at = new THREE.Vector3((x / COLUMNS - 0.5) * p.width, (0.5 - y / rows) * p.height, 0);
    return this.mesh.localToWorld(at);
  }

  press(key: number): void {
    this.keys[key]?.press();
  }

  /** Draws the keys where one has changed; `pointed` is lit. */
  draw(pointed: number): void {
    const labels = this.keys.map((k) => k.label());
    const now = `${pointed}|${labels.join('|')}`;
    if (now === this.shown) return;
    this.shown = now;
    this.pointed = pointed;
    const c = this.canvas.getContext('2d')!;
    c.fillStyle = '#161b23';
    c.fillRect(0, 0, this.canvas.width, this.canvas.height);
    c.font = '600 26px system-ui, sans-serif';
    c.textAlign = 'center';
    c.textBaseline = 'middle';
    labels.forEach((label, k) => {
      const [x, y] = [(k % COLUMNS) * WIDE, Math.floor(k / COLUMNS) * HIGH];
      c.fillStyle = k === this.pointed ? '#3d6db5' : '#2a3342';
      c.beginPath();
      c.roundRect(x + 5, y + 5, WIDE - 10, HIGH - 10, 12);
      c.fill();
      c.fillStyle = '#f2f5fa';
      c.fillText(label, x + WIDE / 2, y + HIGH / 2, WIDE - 20);
    });
    this.texture.needsUpdate = true;
  }
}
