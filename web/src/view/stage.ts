// Renderer, camera, light and ground. Scenes are z-up, three is y-up: the world hangs in one turned
// group.

import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';

export interface StageOptions {
  antialias: boolean;
  shadows: boolean;
  /** Light from all around, as in a room: finer, and slow to make without a graphics card. */
  room: boolean;
}

/** Width against height of the pictures that scenes' cameras are made for. */
const WIDE = 1.35;
/** How fast the camera goes after what moves away, 1/s. */
const EASE = 6;
/** Air around what is framed. */
const AIR = 1.15;

const THEMES = {
  dark: { top: 0x2a3342, bottom: 0x11151c, grid: 0x4a5568, gridMinor: 0x2b3443, ground: 0x1b212b },
  light: { top: 0xf6f8fb, bottom: 0xd5dde8, grid: 0x9aa6b8, gridMinor: 0xc5cedb, ground: 0xe4e9f0 },
};

/** Lets lines vanish towards the edge of a disc, so that a grid ends nowhere. */
function fade(material: THREE.LineBasicMaterial): void {
  material.transparent = true;
  material.depthWrite = false;
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nvarying vec2 vPlace;')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\nvPlace = position.xz;');
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', '#include <common>\nvarying vec2 vPlace;')
      .replace(
        '#include <color_fragment>',
        '#include <color_fragment>\ndiffuseColor.a *= 1.0 - smoothstep(0.1, 0.95, length(vPlace));',
      );
  };
  material.customProgramCacheKey = () => 'grid';
}

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(42, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  /** z-up. */
  readonly world = new THREE.Group();
  private readonly sun = new THREE.DirectionalLight(0xffffff, 2.4);
  private readonly ground: THREE.Mesh;
  private grid: THREE.GridHelper | null = null;
  private size = 1;
  /**
   * Whether the camera still looks after what moves away, and what it has in view, world
   * coordinates.
   */
  private following = false;
  private readonly kept = new THREE.Box3();
  private looked = 0;
  /** Where what the camera goes along with was, world coordinates of the picture. */
  private ridden: THREE.Vector3 | null = null;
  private floor = 0;
  private center = new THREE.Vector3();
  private theme: keyof typeof THEMES = 'dark';
  private readonly background: THREE.CanvasTexture;
  private readonly canvas2d = document.createElement('canvas');

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly options: StageOptions,
  ) {
    this.renderer = new THREE.WebGLRenderer({
      canvas,
      antialias: options.antialias,
      powerPreference: 'high-performance',
    });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.toneMappingExposure = 0.95;
    this.renderer.shadowMap.enabled = options.shadows;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.world.rotation.x = -Math.PI / 2;
    this.world.updateMatrixWorld(true);
    this.scene.add(this.world);
    if (options.room)
      this.scene.environment = new THREE.PMREMGenerator(this.renderer).fromScene(
        new RoomEnvironment(),
        0.04,
      ).texture;
    this.scene.environmentIntensity = 0.45;
    this.sun.castShadow = options.shadows;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.02;
    this.scene.add(this.sun, this.sun.target, new THREE.HemisphereLight(0xdfe9ff, 0x5a5248, 0.4));
    this.ground = new THREE.Mesh(
      new THREE.PlaneGeometry(1, 1),
      options.shadows
        ? new THREE.ShadowMaterial({ opacity: 0.28 })
        : new THREE.MeshBasicMaterial({ visible: false }),
    );
    this.ground.rotation.x = -Math.PI / 2;
    this.ground.receiveShadow = options.shadows;
    this.scene.add(this.ground);
    this.canvas2d.width = 2;
    this.canvas2d.height = 256;
    this.background = new THREE.CanvasTexture(this.canvas2d);
    this.background.colorSpace = THREE.SRGBColorSpace;
    this.scene.background = this.background;
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener('start', () => (this.following = false));
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.screenSpacePanning = true;
    this.setTheme('dark');
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement ?? canvas);
    this.resize();
  }

  /** Takes the size of the page; a headset has its own. */
  resize(): void {
    if (this.renderer.xr.isPresenting) return;
    const parent = this.canvas.parentElement;
    const [w, h] = [parent?.clientWidth || 640, parent?.clientHeight || 360];
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
  }

  setTheme(theme: 'dark' | 'light'): void {
    this.theme = theme;
    const t = THEMES[theme];
    const c = this.canvas2d.getContext('2d')!;
    const gradient = c.createLinearGradient(0, 0, 0, 256);
    gradient.addColorStop(0, `#${t.top.toString(16).padStart(6, '0')}`);
    gradient.addColorStop(1, `#${t.bottom.toString(16).padStart(6, '0')}`);
    c.fillStyle = gradient;
    c.fillRect(0, 0, 2, 256);
    this.background.needsUpdate = true;
    this.buildGrid();
  }

  private buildGrid(): void {
    if (this.grid) {
      this.scene.remove(this.grid);
      this.grid.dispose();
    }
    const t = THEMES[this.theme];
    // Cells of 1, 2 or 5 times a power of ten, about a tenth of the scene.
    const raw = this.size / 8;
    const power = 10 ** Math.floor(Math.log10(raw));
    const cell = [1, 2, 5, 10].map((k) => k * power).find((c) => c >= raw) ?? raw;
    const cells = 60;
    // Unit size, scaled: every size then has the same program.
    this.grid = new THREE.GridHelper(2, cells, t.grid, t.gridMinor);
    this.grid.scale.setScalar(0.5 * cell * cells);
    const x = Math.round(this.center.x / cell) * cell;
    const z = Math.round(this.center.z / cell) * cell;
    this.grid.position.set(x, this.floor, z);
    fade(this.grid.material as THREE.LineBasicMaterial);
    (this.grid.material as THREE.Material).opacity = this.theme === 'dark' ? 0.55 : 0.6;
    this.scene.add(this.grid);
    this.ground.scale.set(cell * cells, cell * cells, 1);
    this.ground.position.copy(this.grid.position);
    this.ground.position.y -= 0.002 * this.size;
  }

  /** Sets light, ground and clipping for a scene within a box (world coordinates). */
  fit(box: THREE.Box3): void {
    const b = box.clone().applyMatrix4(this.world.matrixWorld);
    const size = b.isEmpty() ? 1 : Math.max(b.getSize(new THREE.Vector3()).length(), 1e-3);
    this.size = size;
    b.getCenter(this.center);
    this.floor = b.isEmpty() ? 0 : b.min.y;
    // Ground at height zero where the scene stands on it or near it.
    if (Math.abs(this.floor) < 0.25 * size || (this.floor > 0 && this.floor < size))
      this.floor = Math.min(0, this.floor);
    this.sun.position
      .copy(this.center)
      .add(new THREE.Vector3(0.95, 1.5, 0.4).multiplyScalar(2 * size));
    this.sun.target.position.copy(this.center);
    const s = this.sun.shadow.camera;
    s.left = s.bottom = -1.6 * size;
    s.right = s.top = 1.6 * size;
    s.near = 0.1 * size;
    s.far = 8 * size;
    s.updateProjectionMatrix();
    this.camera.near = size * 1e-3;
    this.camera.far = size * 200;
    this.camera.updateProjectionMatrix();
    this.buildGrid();
  }

  /** Shows a box: from the scene's own camera, or from a good side, as near as it fits. */
  frame(
    box: THREE.Box3,
    camera: [[number, number, number], [number, number, number]] | null,
  ): void {
    const b = box.clone().applyMatrix4(this.world.matrixWorld);
    const center = b.isEmpty() ? new THREE.Vector3() : b.getCenter(new THREE.Vector3());
    // A camera of the scene's own stays where it was put.
    this.following = !camera;
    if (camera) {
      const target = this.world.localToWorld(new THREE.Vector3(...camera[1]));
      const eye = this.world.localToWorld(new THREE.Vector3(...camera[0])).sub(target);
      // Cameras are meant for wide pictures; a narrow one shows as much from farther away.
      this.camera.position
        .copy(target)
        .add(eye.multiplyScalar(Math.max(1, WIDE / this.camera.aspect)));
      this.controls.target.copy(target);
    } else {
      this.kept.copy(box);
      const extent = b.isEmpty() ? new THREE.Vector3(1, 1, 1) : b.getSize(new THREE.Vector3());
      // Flat mechanisms are looked at from the front.
      const flat = extent.z < 0.35 * Math.max(extent.x, extent.y);
      const side = (
        flat ? new THREE.Vector3(0.32, 0.3, 1) : new THREE.Vector3(0.75, 0.5, 1)
      ).normalize();
      this.camera.position.copy(center).addScaledVector(side, this.distance(extent, side));
      this.controls.target.copy(center);
    }
    this.controls.update();
  }

  /** Shows a box from a side of the world (z is up), as near as it fits. */
  from(side: [number, number, number], box: THREE.Box3): void {
    const b = box.clone().applyMatrix4(this.world.matrixWorld);
    const center = b.isEmpty() ? new THREE.Vector3() : b.getCenter(new THREE.Vector3());
    const extent = b.isEmpty() ? new THREE.Vector3(1, 1, 1) : b.getSize(new THREE.Vector3());
    const eye = new THREE.Vector3(...side).transformDirection(this.world.matrixWorld);
    this.following = true;
    this.kept.copy(box);
    this.camera.position.copy(center).addScaledVector(eye, this.distance(extent, eye));
    this.controls.target.copy(center);
    this.controls.update();
  }

  /** Goes along with a point, so that it stays where it is in the picture; null stays behind. */
  ride(point: THREE.Vector3 | null): void {
    const now = point && this.world.localToWorld(point.clone());
    if (now && this.ridden) {
      const way = now.clone().sub(this.ridden);
      this.camera.position.add(way);
      this.controls.target.add(way);
    }
    if (now) this.following = false;
    this.ridden = now;
  }

  /**
   * Goes slowly back so that what moves away stays in view, until somebody takes the camera or it
   * is `farthest` m across.
   */
  follow(box: THREE.Box3, farthest: number): void {
    if (!this.following || !this.controls.enabled || box.isEmpty() || this.kept.isEmpty()) return;
    const wider = this.kept.clone().union(box);
    const across = wider.getSize(new THREE.Vector3()).length();
    if (!(across < farthest)) {
      this.following = false;
      return;
    }
    this.kept.copy(wider);
    // Light, shadows and grid keep up.
    if (across > 1.5 * this.size) this.fit(wider);
    const b = wider.applyMatrix4(this.world.matrixWorld);
    const side = this.camera.position.clone().sub(this.controls.target);
    const now = side.length();
    side.divideScalar(now);
    // The same way in the same time, whatever the frame rate.
    const clock = performance.now();
    const share = 1 - Math.exp(-EASE * Math.min(0.5, (clock - this.looked) / 1000));
    this.looked = clock;
    const wanted = Math.max(now, this.distance(b.getSize(new THREE.Vector3()), side));
    this.controls.target.lerp(b.getCenter(new THREE.Vector3()), share);
    this.camera.position
      .copy(this.controls.target)
      .addScaledVector(side, now + share * (wanted - now));
  }

  /** Goes near to a box without turning. */
  approach(box: THREE.Box3): void {
    if (box.isEmpty()) return;
    this.following = false;
    const b = box.clone().applyMatrix4(this.world.matrixWorld);
    const side = this.camera.position.clone().sub(this.controls.target).normalize();
    b.getCenter(this.controls.target);
    const near = this.distance(b.getSize(new THREE.Vector3()).multiplyScalar(1.6), side);
    this.camera.position.copy(this.controls.target).addScaledVector(side, near);
    this.controls.update();
  }

  /**
   * How far from a box's centre the eye must be to see all its corners, with some air around them.
   */
  private distance(extent: THREE.Vector3, side: THREE.Vector3): number {
    const right = new THREE.Vector3(0, 1, 0).cross(side);
    if (right.lengthSq() < 1e-9) right.set(1, 0, 0);
    right.normalize();
    const up = side.clone().cross(right);
    const tan = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
    let far = 0;
    for (let k = 0; k < 8; k++) {
      const corner = new THREE.Vector3(
        k & 1 ? 0.5 : -0.5,
        k & 2 ? 0.5 : -0.5,
        k & 4 ? 0.5 : -0.5,
      ).multiply(extent);
      const needed = Math.max(
        Math.abs(corner.dot(right)) / (tan * this.camera.aspect),
        Math.abs(corner.dot(up)) / tan,
      );
      far = Math.max(far, needed + corner.dot(side));
    }
    return Math.max(AIR * far, 1e-3);
  }

  get sceneSize(): number {
    return this.size;
  }

  /** Height of the floor, three's coordinates. */
  get floorHeight(): number {
    return this.floor;
  }

  /** Shows or hides sky, grid and ground: a headset that is seen through has a room of its own. */
  setRoom(shown: boolean): void {
    this.scene.background = shown ? this.background : null;
    this.ground.visible = shown;
    if (this.grid) this.grid.visible = shown;
  }

  render(): void {
    // a head moves by itself
    if (!this.renderer.xr.isPresenting) this.controls.update();
    this.renderer.render(this.scene, this.camera);
  }

  /** A ray through a point of the page. */
  ray(x: number, y: number): THREE.Raycaster {
    const r = this.canvas.getBoundingClientRect();
    const ray = new THREE.Raycaster();
    ray.setFromCamera(
      new THREE.Vector2(((x - r.left) / r.width) * 2 - 1, 1 - ((y - r.top) / r.height) * 2),
      this.camera,
    );
    return ray;
  }

  /** Where a ray meets the plane through a point that faces the camera; world coordinates. */
  onPlane(x: number, y: number, through: THREE.Vector3): THREE.Vector3 {
    const p = this.world.localToWorld(through.clone());
    const normal = this.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, p);
    const hit = this.ray(x, y).ray.intersectPlane(plane, new THREE.Vector3());
    return this.world.worldToLocal(hit ?? p);
  }

  /** Where a point of the world appears on the page. */
  screen(point: THREE.Vector3): { x: number; y: number } {
    const p = this.world.localToWorld(point.clone()).project(this.camera);
    const r = this.canvas.getBoundingClientRect();
    return { x: r.left + ((p.x + 1) / 2) * r.width, y: r.top + ((1 - p.y) / 2) * r.height };
  }
}
