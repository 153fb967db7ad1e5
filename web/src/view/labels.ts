// Names beside what they name, as elements of the page over the picture.

import type * as THREE from 'three';

/** More would hide the world. */
const MOST = 60;

export class Labels {
  private readonly there = new Map<string, HTMLElement>();
  private wanted = new Set<string>();
  private screen: (p: THREE.Vector3) => { x: number; y: number } = () => ({ x: 0, y: 0 });
  private corner = { left: 0, top: 0 };

  constructor(private readonly layer: HTMLElement) {}

  clear(): void {
    for (const e of this.there.values()) e.remove();
    this.there.clear();
  }

  begin(screen: (p: THREE.Vector3) => { x: number; y: number }): void {
    this.wanted = new Set();
    this.screen = screen;
    this.corner = this.layer.getBoundingClientRect();
  }

  show(key: string, text: string, at: THREE.Vector3, color = ''): void {
    if (this.wanted.size >= MOST) return;
    this.wanted.add(key);
    let e = this.there.get(key);
    if (!e) {
      e = document.createElement('span');
      this.layer.append(e);
      this.there.set(key, e);
    }
    if (e.textContent !== text) e.textContent = text;
    e.style.borderColor = color;
    const p = this.screen(at);
    const [x, y] = [p.x - this.corner.left, p.y - this.corner.top].map(Math.round);
    e.style.transform = `translate(${x}px, ${y}px)`;
  }

  end(): void {
    for (const [key, e] of this.there) {
      if (this.wanted.has(key)) continue;
      e.remove();
      this.there.delete(key);
    }
  }
}
