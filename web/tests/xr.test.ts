// Hands in virtual reality, by the emulator `iwer`: what they do, and that the session is repeated
// to the bit afterwards. Positions are those of the scene, z-up.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROGRAM, ROOT, type Served, launch, listen, serve } from './harness';

type Three = [number, number, number];

interface Side {
  seen: boolean;
  joints: number;
  position: Three;
  velocity: Three;
  holds: string | null;
  air: boolean;
  apart: number;
  pulses: number;
  pulse: number;
}
interface Xr {
  active: boolean;
  scale: number;
  rig: Three;
  yaw: number;
  tool: string;
  sides: [Side, Side];
}
interface Controller {
  position: { set(x: number, y: number, z: number): void };
  quaternion: { set(x: number, y: number, z: number, w: number): void };
  updateButtonValue(button: string, value: number): void;
  updateAxes(axis: string, x: number, y: number): void;
}
interface Pinching {
  position: { set(x: number, y: number, z: number): void };
  quaternion: { set(x: number, y: number, z: number, w: number): void };
  updatePinchValue(value: number): void;
}
interface Device {
  position: { set(x: number, y: number, z: number): void };
  controllers: Record<'left' | 'right', Controller>;
  hands: Record<'left' | 'right', Pinching>;
  primaryInputMode: string;
}
type Seen = Window['__viewer'] & { xr: Xr };

declare global {
  interface Window {
    __xr: Device;
  }
}

const SCENE = 'scenes/features/workbench.toml';
const IWER = new URL('../node_modules/iwer/build/iwer.min.js', import.meta.url).pathname;

/** A page with a headset that is emulated, already worn. */
async function wear(browser: Browser, url: string): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ viewport: { width: 480, height: 270 } });
  const page = await context.newPage();
  const complaints = listen(page);
  await page.addInitScript({ path: IWER });
  await page.addInitScript(() => {
    const { IWER: iwer } = window as unknown as {
      IWER: { XRDevice: new (kind: unknown, options: object) => Device; metaQuest3: unknown };
    };
    const device = new iwer.XRDevice(iwer.metaQuest3, { stereoEnabled: true, fovy: 1.2 });
    (device as unknown as { installRuntime(o: object): void }).installRuntime({
      forceInstall: true,
    });
    window.__xr = device;
  });
  // the token of the address is its fragment, which comes last
  const address = new URL(url);
  address.searchParams.set('plain', '');
  address.searchParams.set('name', 'Ada');
  await page.goto(address.href);
  await page.waitForFunction(() => window.__viewer?.ready === true && window.__viewer.pictures > 2);
  await page.click('#enter-vr');
  await page.waitForFunction(() => (window.__viewer as Seen).xr.active);
  await settle(page, 3);
  return { page, complaints };
}

const xr = (page: Page): Promise<Xr> => page.evaluate(() => (window.__viewer as Seen).xr);
const at = (page: Page, body: string): Promise<Three> =>
  page.evaluate((b) => window.__viewer.position(b), body);

/** Waits until the headset has shown some pictures: what the emulator was told is there then. */
async function settle(page: Page, pictures = 2): Promise<void> {
  const now = await page.evaluate(() => window.__viewer.pictures);
  await page.waitForFunction((n) => window.__viewer.pictures >= n, now + pictures);
}

/** A place of the scene in the coordinates of the headset. */
function own(s: Xr, [x, y, z]: Three): Three {
  const p = [x - s.rig[0], z - s.rig[1], -y - s.rig[2]].map((c) => c / s.scale);
  const [c, n] = [Math.cos(s.yaw), Math.sin(s.yaw)];
  return [c * p[0]! - n * p[2]!, p[1]!, n * p[0]! + c * p[2]!];
}

type Which = 'left' | 'right';
const index = (which: Which) => (which === 'left' ? 0 : 1);

/** Puts a hand to a place of the scene (its grip lies some centimetres from its own origin). */
async function put(page: Page, which: Which, place: Three): Promise<void> {
  const move = (to: Three) =>
    page.evaluate(([w, p]) => window.__xr.controllers[w].position.set(...p), [which, to] as const);
  const s = await xr(page);
  const to = own(s, place);
  await move(to);
  await settle(page);
  const is = own(s, (await xr(page)).sides[index(which)]!.position);
  await move([0, 1, 2].map((k) => 2 * to[k]! - is[k]!) as Three);
  await settle(page);
}

/** Moves a hand along a straight way from where it is, in so many pictures. */
async function carry(page: Page, which: Which, by: Three, pictures: number): Promise<void> {
  const s = await xr(page);
  const zero = own(s, [0, 0, 0]);
  const d = own(s, by).map((x, k) => x - zero[k]!) as Three;
  // in the page itself: a picture is one step of the way
  await page.evaluate(
    ([w, way, n]) =>
      new Promise<void>((done) => {
        const p = window.__xr.controllers[w].position as unknown as {
          x: number;
          y: number;
          z: number;
          set(x: number, y: number, z: number): void;
        };
        const from = [p.x, p.y, p.z];
        const first = window.__viewer.pictures;
        const step = () => {
          const k = Math.min((window.__viewer.pictures - first + 1) / n, 1);
          p.set(from[0]! + k * way[0], from[1]! + k * way[1], from[2]! + k * way[2]);
          if (k < 1) setTimeout(step, 5);
          else done();
        };
        step();
      }),
    [which, d, pictures] as const,
  );
}

const button = (page: Page, which: Which, name: string, value: number) =>
  page.evaluate(([w, n, v]) => window.__xr.controllers[w].updateButtonValue(n, v), [
    which,
    name,
    value,
  ] as const);

async function grab(page: Page, which: Which): Promise<string | null> {
  await button(page, which, 'squeeze', 1);
  await settle(page);
  return (await xr(page)).sides[index(which)]!.holds;
}

/** Takes a thing by name, again if it swings away before the hand closes. */
async function take(page: Page, which: Which, name: string): Promise<string | null> {
  for (let k = 0; k < 6; k++) {
    await put(page, which, await at(page, name));
    const held = await grab(page, which);
    if (held === name) return held;
    await release(page, which);
  }
  return null;
}

async function release(page: Page, which: Which): Promise<void> {
  await button(page, which, 'squeeze', 0);
  await settle(page);
}

/** Replays a journal with the program itself: it fails where the last state differs in a bit. */
function replay(journal: string): string {
  return execFileSync(PROGRAM, ['replay', journal], { cwd: ROOT, encoding: 'utf8' });
}

describe('hands in virtual reality', () => {
  let browser: Browser;
  let server: Served;
  let page: Page;
  let complaints: string[];
  const folder = mkdtempSync(join(tmpdir(), 'kreisel-xr-'));
  const journal = join(folder, 'session.jsonl');
  beforeAll(async () => {
    browser = await launch();
    server = await serve(SCENE, '--journal', journal);
    ({ page, complaints } = await wear(browser, server.url));
  });
  afterAll(async () => {
    server?.stop();
    await browser?.close();
  });

  test('hold, carry, throw and turn, and the camera is moved by nothing but the person', async () => {
    const start = await xr(page);
    expect(start.scale).toBe(1);
    expect(start.sides.every((s) => s.seen)).toBe(true);

    // to a thing, up with it, and away
    const names = ['brick 0', 'brick 1', 'brick 2', 'brick 3', 'ball', 'lever', 'link 5'];
    for (const [k, name] of names.entries()) {
      const which: Which = k % 2 ? 'left' : 'right';
      expect(await take(page, which, name)).toBe(name);
      await carry(page, which, [0, -0.02, 0.12], 6);
      const way = k % 3 === 0 ? 3 : 8;
      await carry(page, which, [0.02, -0.1, 0.1], way);
      await release(page, which);
    }

    // nobody but the person has moved the eye
    const end = await xr(page);
    expect([end.rig, end.yaw, end.scale]).toEqual([start.rig, start.yaw, start.scale]);
    expect(complaints).toEqual([]);
  }, 300_000);

  test('tracked hands pinch', async () => {
    await page.evaluate(() => {
      window.__xr.primaryInputMode = 'hand';
    });
    await page.waitForFunction(() => (window.__viewer as Seen).xr.sides[1].joints === 25);
    await page.evaluate(() => {
      window.__xr.hands.right.updatePinchValue(1);
    });
    await page.waitForFunction(() => {
      const closed = (window.__viewer as Seen).xr.sides[1];
      return closed.air || closed.holds !== null;
    });
    await page.evaluate(() => {
      window.__xr.hands.right.updatePinchValue(0);
      window.__xr.primaryInputMode = 'controller';
    });
    await page.waitForFunction(() => (window.__viewer as Seen).xr.sides[1].joints === 0);
    expect(complaints).toEqual([]);
  });

  test('the whole session is repeated to the bit', async () => {
    await page.context().close();
    server.stop();
    for (let k = 0; k < 100 && !/"hash"/.test(readFileSync(journal, 'utf8')); k++)
      await new Promise((r) => setTimeout(r, 100));
    const text = readFileSync(journal, 'utf8');
    const count = (word: string) => text.split(`"do":"${word}"`).length - 1;
    expect(count('hold')).toBeGreaterThanOrEqual(7);
    expect(count('let_go')).toBe(count('hold'));
    expect(count('carry')).toBeGreaterThan(20);
    expect(replay(journal)).toBeTruthy();
  });
});
