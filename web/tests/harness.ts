// A server, a browser, and pages that must not complain.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { type Browser, type Page, chromium } from 'playwright-core';

export const PROGRAM = process.env.KREISEL ?? '../target/release/kreisel';
export const ROOT = new URL('../../', import.meta.url).pathname;

/** What the page shows to tests; see the end of src/main.ts. */
export interface Viewer {
  ready: boolean;
  pictures: number;
  /** Revision of the scene that is drawn. */
  shown: number;
  frame: {
    step: number;
    time: number;
    running: boolean;
    speed: number;
    hands?: Float32Array;
    worst: [number, number];
    factor: number;
    undo: number;
    bodies: number;
    history: [number, number];
  };
  scene: {
    bodies: { name: string; color: [number, number, number] | null }[];
    joints: { name: string; kind: string }[];
    springs: { name: string }[];
    motors: { name: string }[];
    elements: { name: string; kind: string; role: string }[];
    fields: { name: string }[];
    curves: { name: string; points: [number, number, number][] }[];
    procedures: { name: string }[];
    tolerance: [number, number];
    load: number;
    revision: number;
  };
  selected: string[];
  clients: { name: string; role: string }[];
  calls: number;
  /** Signs of constraints, controllers and fields that are drawn. */
  signs: Record<'cylinders' | 'spheres' | 'cones' | 'cubes' | 'fields' | 'curves', number>;
  /** How far the eye is from what it looks at, m. */
  eye: number;
  plots(): Record<string, { points: number; last: number[]; shown: [number, number] }>;
  position(name: string): [number, number, number];
  rotation(name: string): [number, number, number, number];
  handle: string | null;
  screen(name: string): { x: number; y: number };
  screenAt(x: number, y: number, z: number): { x: number; y: number };
  look(eye: [number, number, number], at: [number, number, number]): void;
  pane(k: number): void;
  /** Draws now, so that the picture can be read in the same task. */
  render(): void;
}

declare global {
  interface Window {
    __viewer: Viewer;
  }
}

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--use-gl=angle',
      '--use-angle=gl-egl',
      '--ignore-gpu-blocklist',
    ],
  });
}

export interface Served {
  url: string;
  stop(): void;
}

/** Starts `kreisel view` and waits for its address. */
export function serve(scene: string, ...args: string[]): Promise<Served> {
  const child: ChildProcess = spawn(PROGRAM, ['view', scene, '--no-open', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout!.on('data', (d: Buffer) => {
      text += d.toString();
      const found = /listening on (\S+)/.exec(text);
      if (found) resolve({ url: found[1]!, stop: () => void child.kill('SIGINT') });
    });
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`kreisel view ended with ${code}`)));
  });
}

/** What a page's console says from now on; nothing is best. */
export function listen(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (m) => {
    if (
      (m.type() === 'error' || m.type() === 'warning') &&
      !m.text().includes('GPU stall due to ReadPixels')
    )
      complaints.push(m.text());
  });
  page.on('pageerror', (e) => complaints.push(String(e)));
  page.on('requestfailed', (r) => complaints.push(`${r.url()} ${r.failure()?.errorText}`));
  return complaints;
}

/** Opens the viewer; `complaints` collects what the console says. */
export async function open(
  browser: Browser,
  url: string,
  options: {
    name?: string;
    size?: [number, number];
    plain?: boolean;
    bare?: boolean;
    theme?: string;
    touch?: boolean;
  } = {},
): Promise<{ page: Page; complaints: string[] }> {
  const [width, height] = options.size ?? [900, 520];
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: 1,
    hasTouch: options.touch ?? false,
  });
  const page = await context.newPage();
  const complaints = listen(page);
  const search = new URLSearchParams({
    ...(options.plain === false ? {} : { plain: '' }),
    ...(options.bare ? { bare: '' } : {}),
    name: options.name ?? 'Test',
    theme: options.theme ?? 'dark',
  });
  const address = new URL(url);
  for (const [key, value] of search) address.searchParams.set(key, value);
  await page.goto(address.href);
  await page.waitForFunction(() => window.__viewer?.ready === true && window.__viewer.pictures > 2);
  return { page, complaints };
}

/** Waits until so many more pictures are drawn: what was done before is in them. */
export async function drawn(page: Page, pictures = 2): Promise<void> {
  const now = await page.evaluate(() => window.__viewer.pictures);
  await page.waitForFunction((n) => window.__viewer.pictures >= n, now + pictures);
}

/** Waits until the camera has come to rest: three pictures from the same place. */
export async function still(page: Page): Promise<void> {
  await drawn(page);
  let [before, same] = ['', 0];
  while (same < 2) {
    await drawn(page, 1);
    const now = await page.evaluate(() => {
      const spot = (x: number, y: number, z: number) => {
        const p = window.__viewer.screenAt(x, y, z);
        return [p.x.toFixed(1), p.y.toFixed(1)];
      };
      return JSON.stringify([spot(0, 0, 0), spot(1, 0, 0), spot(0, 1, 1)]);
    });
    same = now === before ? same + 1 : 0;
    before = now;
  }
}

const KINDS: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** A plain web server: files below /some/folder/, no headers but their kind. */
export function plain(folder: string): Promise<Server> {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url!, 'http://x').pathname));
    const file = join(folder, path.replace(/^\/some\/folder/, '').replace(/\/$/, '/index.html'));
    if (!path.startsWith('/some/folder/') || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': KINDS[extname(file)] ?? 'text/plain' });
    response.end(readFileSync(file));
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/** The address of such a server's folder. */
export function address(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/some/folder/`;
}
