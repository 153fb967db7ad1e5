// All bodies: one instanced mesh per geometry, moved by frames.

import * as THREE from 'three';
import type { JointView, PartView, SceneView } from '../bindings';
import type { Frame } from '../frame';
import { extent, solid } from './shapes';

/** Colours of bodies without one of their own: calm, and told apart. */
const PALETTE = [
  0x5b8def, 0xf28e2b, 0x59a14f, 0xb07aa1, 0xedc948, 0x4bb3a7, 0xe15759, 0x9c755f,
].map((c) => new THREE.Color(c));
const STATIC = new THREE.Color(0x8b93a1);
const ACCENT = new THREE.Color(0xffb000);
const WHITE = new THREE.Color(0xffffff);
const TROUBLE = new THREE.Color(0xc62f2f);
const NOTHING = new THREE.Matrix4().makeScale(0, 0, 0);

/** Width of floors without an end, in sizes of the scene. */
const FLOOR = 40;

/** White in the middle, black at the rim. */
function vanishing(): THREE.CanvasTexture {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 256;
  const c = canvas.getContext('2d')!;
  const gradient = c.createRadialGradient(128, 128, 0, 128, 128, 128);
  gradient.addColorStop(0, '#fff');
  gradient.addColorStop(0.15, '#fff');
  gradient.addColorStop(0.6, '#555');
  gradient.addColorStop(1, '#000');
  c.fillStyle = gradient;
  c.fillRect(0, 0, 256, 256);
  return new THREE.CanvasTexture(canvas);
}

/** Reads a picture that a body names as its texture: a data URL, later. */
export type Pictures = (name: string, use: (data: string) => void) => void;

interface Piece {
  body: number;
  mesh: THREE.InstancedMesh;
  slot: number;
  local: THREE.Matrix4;
}

export interface Pick {
  body: number;
  /** World coordinates, m. */
  point: THREE.Vector3;
  /** World coordinates. */
  normal: THREE.Vector3;
}

export class Bodies {
  readonly group = new THREE.Group();
  /** Extent of each body in its own frame. */
  boxes: THREE.Box3[] = [];
  /** Present poses, world coordinates. */
  positions: THREE.Vector3[] = [];
  rotations: THREE.Quaternion[] = [];
  /** Size of the scene, m. */
  size = 1;
  /** Names of bodies that are not shown, and of those that something is wrong with. */
  hidden: ReadonlySet<string> = new Set();
  troubled: ReadonlySet<string> = new Set();
  pictures: Pictures | null = null;
  private readonly finishes = new Map<string, THREE.MeshStandardMaterial>();
  private scene: SceneView | null = null;
  private pieces: Piece[] = [];
  private readonly meshes: THREE.InstancedMesh[] = [];
  private readonly geometries = new Map<string, THREE.BufferGeometry>();
  private readonly planes: { body: number; mesh: THREE.Mesh; local: THREE.Matrix4 }[] = [];
  private readonly material = new THREE.MeshStandardMaterial({ roughness: 0.55, metalness: 0.05 });
  private readonly planeMaterial = new THREE.MeshStandardMaterial({
    roughness: 0.95,
    color: 0x7c8594,
    side: THREE.DoubleSide,
  });
  /** Floors without an end: they fade into the distance, and lie behind the lines of the grid. */
  private readonly floorMaterial = new THREE.MeshStandardMaterial({
    roughness: 0.95,
    side: THREE.DoubleSide,
    transparent: true,
    depthWrite: false,
    alphaMap: vanishing(),
    polygonOffset: true,
    polygonOffsetFactor: 2,
    polygonOffsetUnits: 4,
  });

  /** The floor is as bright as the page. */
  setTheme(theme: 'dark' | 'light'): void {
    this.planeMaterial.color.set(theme === 'light' ? 0xd4dae3 : 0x7c8594);
    this.floorMaterial.color.set(theme === 'light' ? 0xd4dae3 : 0x4b5563);
  }
  private readonly matrix = new THREE.Matrix4();
  private readonly product = new THREE.Matrix4();
  private readonly one = new THREE.Vector3(1, 1, 1);

  build(scene: SceneView, size: number, shadows: boolean): void {
    this.scene = scene;
    this.size = size;
    for (const mesh of this.meshes.splice(0)) {
      this.group.remove(mesh);
      mesh.dispose();
    }
    for (const plane of this.planes.splice(0)) {
      this.group.remove(plane.mesh);
      plane.mesh.geometry.dispose();
    }
    this.pieces = [];
    this.positions = scene.bodies.map(() => new THREE.Vector3());
    this.rotations = scene.bodies.map(() => new THREE.Quaternion());
    this.boxes = scene.bodies.map((b) => {
      const box = new THREE.Box3();
      for (const part of b.parts) box.union(extent(part, size));
      return box;
    });
    for (const part of scene.ground) {
      const place = new THREE.Matrix4().compose(
        new THREE.Vector3(...part.position),
        new THREE.Quaternion(...part.rotation),
        this.one,
      );
      if (part.geometry.kind === 'plane')
        this.plane(-1, place, part.geometry.normal, part.geometry.offset);
      else this.fixed(-1, part, place, this.planeMaterial, shadows);
    }
    for (const show of scene.shows) {
      const [r, g, b] = show.color ?? [150, 156, 164];
      const material = new THREE.MeshStandardMaterial({
        roughness: 0.6,
        color: new THREE.Color().setRGB(r / 255, g / 255, b / 255, THREE.SRGBColorSpace),
      });
      for (const part of show.parts) {
        const place = new THREE.Matrix4().compose(
          new THREE.Vector3(...part.position),
          new THREE.Quaternion(...part.rotation),
          this.one,
        );
        this.fixed(show.body, part, place, material, shadows);
      }
    }
    const batches = new Map<
      string,
      {
        key: string;
        make: () => THREE.BufferGeometry;
        material: THREE.Material;
        items: { body: number; local: THREE.Matrix4 }[];
      }
    >();
    scene.bodies.forEach((body, k) => {
      for (const part of body.parts) {
        const place = new THREE.Matrix4().compose(
          new THREE.Vector3(...part.position),
          new THREE.Quaternion(...part.rotation),
          this.one,
        );
        if (part.geometry.kind === 'plane') {
          this.plane(k, place, part.geometry.normal, part.geometry.offset);
          continue;
        }
        const s = solid(part.geometry, size);
        if (!s) continue;
        const local = place.multiply(new THREE.Matrix4().makeScale(...s.scale));
        const finish = `${body.opacity} ${body.reflection} ${body.texture}`;
        const key = `${s.key} ${finish}`;
        let batch = batches.get(key);
        if (!batch) {
          const material = this.finish(body, finish);
          batches.set(key, (batch = { key: s.key, make: s.make, material, items: [] }));
        }
        batch.items.push({ body: k, local });
      }
    });
    for (const batch of batches.values()) {
      let geometry = this.geometries.get(batch.key);
      if (!geometry) this.geometries.set(batch.key, (geometry = batch.make()));
      const mesh = new THREE.InstancedMesh(geometry, batch.material, batch.items.length);
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.castShadow = shadows && !batch.material.transparent;
      mesh.receiveShadow = shadows;
      batch.items.forEach((item, slot) => this.pieces.push({ ...item, mesh, slot }));
      this.meshes.push(mesh);
      this.group.add(mesh);
    }
    this.paint(new Set());
  }

  /** The surface of a body; equal ones are shared. */
  private finish(body: SceneView['bodies'][number], key: string): THREE.Material {
    if (body.opacity >= 1 && body.reflection <= 0 && !body.texture) return this.material;
    let material = this.finishes.get(key);
    if (material) return material;
    material = this.material.clone();
    material.transparent = body.opacity < 1;
    material.opacity = body.opacity;
    // what is seen through does not hide what lies behind it
    material.depthWrite = body.opacity >= 1;
    material.roughness = 0.55 - 0.5 * body.reflection;
    material.metalness = 0.05 + 0.9 * body.reflection;
    material.envMapIntensity = 1 + 1.5 * body.reflection;
    this.finishes.set(key, material);
    if (body.texture) {
      const made = material;
      this.pictures?.(body.texture, (data) => {
        new THREE.TextureLoader().load(data, (map) => {
          map.colorSpace = THREE.SRGBColorSpace;
          made.map = map;
          made.needsUpdate = true;
        });
      });
    }
    return material;
  }

  private plane(body: number, place: THREE.Matrix4, normal: number[], offset: number): void {
    const n = new THREE.Vector3(normal[0], normal[1], normal[2]);
    const mesh = new THREE.Mesh(
      new THREE.PlaneGeometry(FLOOR * this.size, FLOOR * this.size),
      this.floorMaterial,
    );
    // First of all that is transparent, so that shadows and lines lie on it.
    mesh.renderOrder = -2;
    mesh.receiveShadow = true;
    mesh.matrixAutoUpdate = false;
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), n);
    const local = place
      .clone()
      .multiply(new THREE.Matrix4().compose(n.clone().multiplyScalar(offset), turn, this.one));
    this.planes.push({ body, mesh, local });
    this.group.add(mesh);
  }

  /** A part of the world itself, or one that is only shown on a body: it cannot be picked. */
  private fixed(
    body: number,
    part: PartView,
    place: THREE.Matrix4,
    material: THREE.Material,
    shadows: boolean,
  ): void {
    const s = solid(part.geometry, this.size);
    if (!s) return;
    const mesh = new THREE.Mesh(s.make(), material);
    mesh.receiveShadow = mesh.castShadow = shadows;
    mesh.matrixAutoUpdate = false;
    this.planes.push({
      body,
      mesh,
      local: place.multiply(new THREE.Matrix4().makeScale(...s.scale)),
    });
    this.group.add(mesh);
  }

  color(body: number): THREE.Color {
    const b = this.scene?.bodies[body];
    if (!b) return STATIC;
    if (b.color)
      return new THREE.Color().setRGB(
        b.color[0] / 255,
        b.color[1] / 255,
        b.color[2] / 255,
        THREE.SRGBColorSpace,
      );
    // a picture is seen in its own colours
    if (b.texture) return WHITE;
    return b.kind === 'dynamic' ? PALETTE[body % PALETTE.length]! : STATIC;
  }

  /** Colours all bodies; the selected ones glow. */
  paint(selected: Set<string>): void {
    for (const p of this.pieces) {
      const color = this.color(p.body).clone();
      if (this.troubled.has(this.scene?.bodies[p.body]?.name ?? '')) color.lerp(TROUBLE, 0.7);
      if (selected.has(this.scene?.bodies[p.body]?.name ?? '')) color.lerp(ACCENT, 0.6);
      p.mesh.setColorAt(p.slot, color);
    }
    for (const mesh of this.meshes) if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
  }

  /** Puts the bodies where a frame says. */
  move(frame: Frame): void {
    const [ox, oy, oz] = frame.origin;
    const p = frame.poses;
    for (let k = 0; k < this.positions.length && k < frame.bodies; k++) {
      const i = k * 7;
      this.positions[k]!.set(p[i]! + ox, p[i + 1]! + oy, p[i + 2]! + oz);
      this.rotations[k]!.set(p[i + 3]!, p[i + 4]!, p[i + 5]!, p[i + 6]!);
    }
    let last = -1;
    for (const piece of this.pieces) {
      if (piece.body !== last)
        this.matrix.compose(this.positions[piece.body]!, this.rotations[piece.body]!, this.one);
      last = piece.body;
      if (this.hidden.size > 0 && this.hidden.has(this.scene!.bodies[piece.body]!.name)) {
        piece.mesh.setMatrixAt(piece.slot, NOTHING);
        continue;
      }
      piece.mesh.setMatrixAt(piece.slot, this.product.multiplyMatrices(this.matrix, piece.local));
    }
    for (const mesh of this.meshes) {
      mesh.instanceMatrix.needsUpdate = true;
      // Picking tests this sphere first; it must not be an old one.
      mesh.boundingSphere = null;
    }
    for (const plane of this.planes) {
      if (plane.body < 0) this.matrix.identity();
      else this.matrix.compose(this.positions[plane.body]!, this.rotations[plane.body]!, this.one);
      plane.mesh.matrix.multiplyMatrices(this.matrix, plane.local);
    }
  }

  /** The body under a ray, in three's coordinates. */
  pick(ray: THREE.Raycaster): Pick | null {
    const hit = ray.intersectObjects(this.meshes, false)[0];
    if (!hit || hit.instanceId === undefined) return null;
    const piece = this.pieces.find((p) => p.mesh === hit.object && p.slot === hit.instanceId);
    if (!piece) return null;
    const point = this.group.worldToLocal(hit.point.clone());
    const normal = (hit.face?.normal ?? new THREE.Vector3(0, 0, 1)).clone();
    return { body: piece.body, point, normal };
  }

  /** A point of a body's frame in world coordinates; −1 is the world. */
  point(body: number, local: readonly number[], out = new THREE.Vector3()): THREE.Vector3 {
    out.set(local[0]!, local[1]!, local[2]!);
    if (body < 0 || !this.positions[body]) return out;
    return out.applyQuaternion(this.rotations[body]!).add(this.positions[body]!);
  }

  direction(body: number, local: readonly number[], out = new THREE.Vector3()): THREE.Vector3 {
    out.set(local[0]!, local[1]!, local[2]!);
    return body < 0 || !this.rotations[body] ? out : out.applyQuaternion(this.rotations[body]!);
  }

  local(body: number, point: THREE.Vector3): THREE.Vector3 {
    return point
      .clone()
      .sub(this.positions[body]!)
      .applyQuaternion(this.rotations[body]!.clone().invert());
  }

  /** The box around all bodies, curves, and what swings about its only point on the world. */
  reach(): THREE.Box3 {
    const all = this.bounds();
    for (const c of this.scene?.curves ?? [])
      for (const p of c.points) all.expandByPoint(new THREE.Vector3(...p));
    // What things hang on or are drawn to.
    for (const e of this.scene?.elements ?? [])
      for (const a of e.anchors)
        if (a.moving === null) all.expandByPoint(this.point(a.body, a.point));
    for (const s of [...(this.scene?.springs ?? []), ...(this.scene?.joints ?? [])])
      for (const k of [0, 1]) all.expandByPoint(this.point(s.bodies[k]!, s.anchors[k]!));
    for (const f of this.scene?.fields ?? [])
      if (f.center) all.expandByPoint(new THREE.Vector3(...f.center));
    // One or two bodies alone would fill the picture, and go out of it with their first move.
    if (this.boxes.length <= 2 && !all.isEmpty())
      all.expandByScalar(0.4 * this.bounds().getSize(new THREE.Vector3()).length());
    for (const chain of this.chains()) {
      const [first] = chain.hung;
      if (!first) continue;
      const anchor = this.point(first.bodies[0], first.anchors[0]);
      // Held at several places it stays about where it is; then only what hangs on the world itself
      // sweeps.
      const single = chain.hung.every(
        (j) => this.point(j.bodies[0], j.anchors[0]).distanceTo(anchor) < 0.02 * this.size,
      );
      for (const j of single ? [first] : chain.hung) {
        const at = this.point(j.bodies[0], j.anchors[0]);
        const own = j.bodies[0] < 0 ? j.bodies[1] : j.bodies[0];
        const far = this.farthest(single ? chain.bodies : [own], at);
        const radius = far.length();
        if (!(radius > 0)) continue;
        if (!single) {
          // A hinge sweeps a disc, which is thin along its axis.
          const axis = this.direction(j.bodies[0], j.axis).normalize();
          const thin = (a: number) => (j.kind === 'hinge' ? Math.sqrt(Math.max(0, 1 - a * a)) : 1);
          const half = new THREE.Vector3(thin(axis.x), thin(axis.y), thin(axis.z)).multiplyScalar(
            radius,
          );
          all.expandByPoint(at.clone().sub(half)).expandByPoint(at.clone().add(half));
          continue;
        }
        // It swings down and to the other side, in the upright plane in which it hangs out.
        const side = far.clone().setZ(0);
        const falls = (this.scene?.gravity[2] ?? 0) < 0;
        all.expandByPoint(at.clone().sub(side)).expandByPoint(at.clone().add(side));
        if (falls && side.length() > 0.1 * radius)
          all.expandByPoint(at.clone().setZ(at.z - radius));
      }
    }
    return all;
  }

  /** From a point to the corner of these bodies that is farthest away. */
  private farthest(list: number[], at: THREE.Vector3): THREE.Vector3 {
    const far = new THREE.Vector3();
    for (const k of list) {
      const box = this.boxes[k];
      if (!box || box.isEmpty()) continue;
      for (let i = 0; i < 8; i++) {
        const corner = this.point(k, [
          i & 1 ? box.max.x : box.min.x,
          i & 2 ? box.max.y : box.min.y,
          i & 4 ? box.max.z : box.min.z,
        ]).sub(at);
        if (corner.lengthSq() > far.lengthSq()) far.copy(corner);
      }
    }
    return far;
  }

  /** Bodies that are joined together, with the turning joints by which they hang on the world. */
  private chains(): { bodies: number[]; hung: JointView[] }[] {
    const joints = this.scene?.joints ?? [];
    const root = this.boxes.map((_, k) => k);
    const find = (k: number): number => (root[k] === k ? k : (root[k] = find(root[k]!)));
    for (const j of joints)
      if (Math.min(...j.bodies) >= 0) root[find(j.bodies[0])] = find(j.bodies[1]);
    const chains = new Map<number, { bodies: number[]; hung: JointView[] }>();
    root.forEach((_, k) => {
      const r = find(k);
      const chain = chains.get(r) ?? { bodies: [], hung: [] };
      chain.bodies.push(k);
      chains.set(r, chain);
    });
    for (const j of joints) {
      const chain = chains.get(find(Math.max(...j.bodies)));
      if (!chain) continue;
      const turning = ['hinge', 'ball', 'universal', 'rope', 'distance'].includes(j.kind);
      if (Math.min(...j.bodies) < 0 && turning) chain.hung.push(j);
    }
    return [...chains.values()];
  }

  /** Size of a body in the middle of the list of sizes, m. */
  typical(): number {
    const sizes = this.boxes
      .filter((b) => !b.isEmpty())
      .map((b) => b.getSize(new THREE.Vector3()).length());
    sizes.sort((a, b) => a - b);
    return sizes[Math.floor(sizes.length / 2)] ?? this.size;
  }

  /** The box around one body in world coordinates; empty if there is none. */
  box(body: number): THREE.Box3 {
    const box = this.boxes[body];
    if (!box || box.isEmpty()) return new THREE.Box3();
    this.matrix.compose(this.positions[body]!, this.rotations[body]!, this.one);
    return box.clone().applyMatrix4(this.matrix);
  }

  /** The box around all bodies in world coordinates. */
  bounds(): THREE.Box3 {
    const all = new THREE.Box3();
    this.boxes.forEach((_, k) => all.union(this.box(k)));
    return all;
  }
}
