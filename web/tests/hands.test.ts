// Pushing, turning, making and linking things, and doing it with others, in a real browser against
// the real program.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Served, drawn, launch, open, serve } from './harness';

// Two boxes that float, one of them at a place with many digits.
const SCENE = `
title = "Two boxes"
[world]
gravity = [0, 0, 0]
[camera]
eye = [0.5, -5, 0]
target = [0.5, 0, 0]
[[body]]
name = "left"
shape = { box = [0.6, 0.6, 0.6] }
mass = 2
position = [-0.5, 0, 0.123456789012]
collide = false
[[body]]
name = "right"
shape = { box = [0.6, 0.6, 0.6] }
mass = 2
position = [1.5, 0, 0]
collide = false
`;

let browser: Browser;
let server: Served;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  browser = await launch();
  const file = join(mkdtempSync(join(tmpdir(), 'kreisel-hands-')), 'boxes.toml');
  writeFileSync(file, SCENE);
  server = await serve(file, '--paused');
  ({ page, complaints } = await open(browser, server.url, { name: 'Ada' }));
});
afterAll(async () => {
  await browser?.close();
  server?.stop();
});

type Count = 'bodies' | 'joints' | 'springs' | 'motors' | 'elements' | 'fields' | 'curves';
const count = (kind: Count) =>
  page.evaluate(
    (k) => (window.__viewer.scene as unknown as Record<string, unknown[]>)[k]!.length,
    kind,
  );
const becomes = (kind: Count, n: number) =>
  page.waitForFunction(
    ([k, n]) =>
      (window.__viewer.scene as unknown as Record<string, unknown[]>)[k as string]!.length === n,
    [kind, n] as const,
  );
const at = (name: string) => page.evaluate((n) => window.__viewer.position(n), name);
const spot = (name: string) => page.evaluate((n) => window.__viewer.screen(n), name);
const select = async (...names: string[]) => {
  await page.click('#pane-list');
  for (const [k, name] of names.entries())
    await page.click(`[data-name="${name}"]`, { modifiers: k ? ['Shift'] : [] });
  await page.waitForFunction((n) => window.__viewer.selected.length === n, names.length);
};
const drag = async (from: { x: number; y: number }, dx: number, dy: number) => {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + dx, from.y + dy, { steps: 5 });
};

beforeEach(async () => {
  await page.keyboard.press('Escape');
  await page.click('#restart');
  await page.waitForFunction(
    () => window.__viewer.frame.time === 0 && window.__viewer.scene.bodies.length === 2,
  );
  await page.keyboard.press('g');
  expect(complaints).toEqual([]);
});

describe('hands', () => {
  test('a push gives the body the impulse that the arrow says, a force and a torque what theirs say', async () => {
    for (const [key, unit] of [
      ['p', 'N s'],
      ['f', 'N'],
      ['r', 'N m'],
    ] as const) {
      await page.click('#restart');
      await page.waitForFunction(() => window.__viewer.frame.time === 0);
      await page.keyboard.press(key);
      const [from, start] = [await spot('left'), await at('left')];
      await drag(from, 80, 0);
      const label = page.locator('.labels span', { hasText: new RegExp(`^[\\d.]+ ${unit}$`) });
      await label.waitFor();
      const value = Number.parseFloat((await label.textContent())!);
      expect(value).toBeGreaterThan(0);
      await page.mouse.up();
      for (let k = 0; k < 6; k++) await page.keyboard.press('.');
      await page.waitForFunction(
        () => window.__viewer.frame.step > 5 && window.__viewer.frame.time > 0.05,
      );
      const time = await page.evaluate(() => window.__viewer.frame.time);
      const moved = (await at('left'))[0] - start[0];
      // p = m v; F t² / 2m; a torque turns and does not shift
      const expected =
        key === 'p' ? (value / 2) * time : key === 'f' ? (0.5 * value * time * time) / 2 : 0;
      if (key === 'p') expect(Math.abs(moved / expected - 1)).toBeLessThan(0.05);
      // the first step of a force is whole, not half: within a step of the continuous motion
      else if (key === 'f') expect(Math.abs(moved / expected - 1)).toBeLessThan(0.4);
      else expect(Math.abs(moved)).toBeLessThan(1e-6);
    }
  });

  test('the rings of the turn tool turn a body, the arrows of the move tool shift it, and undo takes each drag back as one', async () => {
    await select('left');
    await page.keyboard.press('t');
    await drawn(page);
    const undo = () => page.evaluate(() => window.__viewer.frame.undo);
    const before = await undo();
    const c = await spot('left');
    const rotation = () => page.evaluate(() => JSON.stringify(window.__viewer.rotation('left')));
    const start = await rotation();
    /** The pointer over a handle with this axis, found by trying places along a line. */
    const find = async (radii: number[], axis: string): Promise<number> => {
      for (const r of radii) {
        await page.mouse.move(c.x + r, c.y);
        await drawn(page, 1);
        const handle = await page.evaluate(() => window.__viewer.handle);
        if (handle?.includes(axis)) return r;
      }
      throw new Error(`no handle "${axis}" beside the body`);
    };
    const range = (from: number, to: number, by: number) =>
      Array.from({ length: Math.ceil((to - from) / by) }, (_, k) => from + k * by);
    // the outermost ring turns about the line of sight
    const ring = await find(range(130, 30, -3), '');
    await page.mouse.down();
    await page.mouse.move(c.x + ring, c.y - 40, { steps: 4 });
    await page.waitForFunction(
      (s) => JSON.stringify(window.__viewer.rotation('left')) !== s,
      start,
    );
    await page.mouse.up();
    await page.waitForFunction((n) => window.__viewer.frame.undo === n + 1, before);
    await page.keyboard.press('m');
    await drawn(page);
    const place = await at('left');
    const arrow = await find(range(20, 130, 4), 'X');
    await page.mouse.down();
    await page.mouse.move(c.x + arrow + 50, c.y, { steps: 4 });
    await page.waitForFunction(
      ([x]) => Math.abs(window.__viewer.position('left')[0] - x!) > 0.05,
      place,
    );
    await page.mouse.up();
    await page.waitForFunction((n) => window.__viewer.frame.undo === n + 2, before);
    await page.keyboard.press('Control+z');
    await page.waitForFunction(
      ([x]) => Math.abs(window.__viewer.position('left')[0] - x!) < 1e-5,
      place,
    );
    expect(await rotation()).not.toBe(start);
    await page.keyboard.press('Control+z');
    await page.waitForFunction(
      (s) => JSON.stringify(window.__viewer.rotation('left')) === s,
      start,
    );
  });
});

describe('from the selection', () => {
  const undone = async (kind: Count, n: number) => {
    await page.keyboard.press('Control+z');
    await becomes(kind, n);
  };


  test('every kind of joint, motor and spring is made, has its panel, and is undone', async () => {
    await page.click('#pane-add');
    const kinds = [
      'hinge',
      'ball',
      'slider',
      'fixed',
      'cylindrical',
      'universal',
      'distance',
      'rope',
      'line',
      'plane',
      'translation',
      'direction',
      'double-rotation',
    ];
    for (const kind of kinds) {
      await select('left', 'right');
      await page.click('#pane-add');
      await page.click(`[data-create="${kind}"]`);
      await becomes('joints', 1);
      const joint = await page.evaluate(() => window.__viewer.scene.joints[0]!);
      expect(joint.kind).toBe(kind);
      await select(joint.name);
      await page.waitForSelector('.properties[data-kind="joint"]');
      if (kind === 'hinge') {
        for (const motor of ['velocity motor', 'torque motor', 'servo']) {
          await page.click('#pane-add');
          await page.click(`[data-create="${motor}"]`);
          await becomes('motors', 1);
          const name = await page.evaluate(() => window.__viewer.scene.motors[0]!.name);
          await select(name);
          await page.waitForSelector('.properties[data-kind="motor"] svg.curve');
          await page.click('#pane-add');
          await undone('motors', 0);
          await select(joint.name);
        }
      }
      await undone('joints', 0);
    }
    await select('left', 'right');
    await page.click('#pane-add');
    await page.click('[data-create="spring"]');
    await becomes('springs', 1);
    await select(await page.evaluate(() => window.__viewer.scene.springs[0]!.name));
    await page.waitForSelector('.properties[data-kind="spring"]');
    await undone('springs', 0);
  });

  test('every kind of constraint, controller and field is made, has its panel, and is undone', async () => {
    const both = [
      'point-to-point',
      'distance',
      'unit-distance',
      'orientation',
      'in-line',
      'ortho',
      'hinge',
      'slide',
      'universal',
      'equal-velocity',
      'equal-velocity-norm',
    ];
    for (const kind of [...both, 'point-to-function', 'velocity-to-function']) {
      await select('left', ...(both.includes(kind) ? ['right'] : []));
      await page.click('#pane-add');
      await page.click(`[data-constraint="${kind}"]`);
      await becomes('elements', 1);
      const element = await page.evaluate(() => window.__viewer.scene.elements[0]!);
      expect(element.kind).toBe(kind);
      // Wagner 6.5.2.3: what the colour tells
      expect(element.role).toBe(kind.includes('velocity') ? 'velocity' : 'position');
      await select(element.name);
      await page.waitForSelector(
        '.properties[data-kind="constraint"] [aria-label="connectors.0.body"]',
      );
      await undone('elements', 0);
    }
    for (const kind of ['vector', 'spring', 'trajectory', 'pid']) {
      await select('left');
      await page.click('#pane-add');
      await page.click(`[data-controller="${kind}"]`);
      await becomes('elements', 1);
      const element = await page.evaluate(() => window.__viewer.scene.elements[0]!);
      expect([element.kind, element.role]).toEqual([kind, 'controller']);
      await select(element.name);
      await page.waitForSelector('.properties[data-kind="controller"]');
      await undone('elements', 0);
    }
    for (const kind of ['gravity', 'friction', 'radial']) {
      await page.click('#pane-add');
      await page.click(`[data-field="${kind}"]`);
      await becomes('fields', 1);
      await select(await page.evaluate(() => window.__viewer.scene.fields[0]!.name));
      await page.waitForSelector('.properties[data-kind="field"]');
      await undone('fields', 0);
    }
  });

  test('the path of a moved body becomes a curve, and another body follows it', async () => {
    await select('left');
    await page.click('#pane-add');
    await page.click('#record-path');
    expect(await page.getAttribute('#record-path', 'aria-pressed')).toBe('true');
    await page.click('#play');
    const from = await spot('left');
    await drag(from, 40, -60);
    await page.waitForFunction(() => window.__viewer.position('left')[2] > 0.3);
    await page.mouse.move(from.x + 120, from.y - 20, { steps: 8 });
    await page.waitForFunction(() => window.__viewer.position('left')[0] > 0);
    await page.mouse.up();
    await page.keyboard.press('Space');
    await page.waitForFunction(() => !window.__viewer.frame.running);
    const end = await at('left');
    await page.click('#record-path');
    await becomes('curves', 1);
    const curve = await page.evaluate(() => window.__viewer.scene.curves[0]!);
    // It begins where the body was and ends where it came to (the last point within the recorder's
    // grain).
    expect(Math.hypot(curve.points[0]![0] + 0.5, curve.points[0]![2] - 0.123456789)).toBeLessThan(
      0.05,
    );
    const last = curve.points.at(-1)!;
    expect(Math.hypot(last[0] - end[0], last[1] - end[1], last[2] - end[2])).toBeLessThan(0.15);
    await select(curve.name);
    await page.waitForSelector('.properties[data-kind="curve"] [aria-label="points.1 in m x"]');
    await select('right', curve.name);
    await page.click('#pane-add');
    await page.click('[data-constraint="point-to-path"]');
    await becomes('elements', 1);
    // deleting the curve takes the constraint along
    await select(curve.name);
    await page.keyboard.press('Delete');
    await becomes('curves', 0);
    expect(await count('elements')).toBe(0);
  });

  test('a number that is typed changes nothing else, though the panel shows few digits', async () => {
    await select('left');
    const z = page.locator('[aria-label="position in m z"]');
    await page.waitForFunction(
      () =>
        document.querySelector<HTMLInputElement>('[aria-label="position in m z"]')?.value ===
        '0.1235',
    );
    const x = page.locator('[aria-label="position in m x"]');
    await x.fill('0.25');
    await x.press('Enter');
    await page.waitForFunction(() => Math.abs(window.__viewer.position('left')[0] - 0.25) < 1e-6);
    await page.locator('.pane h2').first().click();
    await x.blur();
    await page.waitForTimeout(800);
    await z.focus();
    expect(await z.inputValue()).toBe('0.123456789012');
    await z.blur();
    await page.keyboard.press('Control+z');
    await page.waitForFunction(() => Math.abs(window.__viewer.position('left')[0] + 0.5) < 1e-6);
  });
});

describe('plots', () => {
  test('hold still when zoomed, and go on when the pin is taken out', async () => {
    await page.click('#pane-plot');
    await page.click('#play');
    await page.waitForFunction(() => window.__viewer.plots()['energy']!.points > 40);
    const plot = page.locator('.plot[data-path="energy"]');
    const area = (await plot.locator('.u-over').boundingBox())!;
    await page.mouse.move(area.x + 0.3 * area.width, area.y + 0.5 * area.height);
    await page.mouse.down();
    await page.mouse.move(area.x + 0.6 * area.width, area.y + 0.5 * area.height, { steps: 4 });
    await page.mouse.up();
    await plot.locator('button[aria-pressed="true"]:has-text("Pin")').waitFor();
    const shown = await page.evaluate(() => window.__viewer.plots()['energy']!.shown);
    await page.waitForTimeout(700);
    expect(await page.evaluate(() => window.__viewer.plots()['energy']!.shown)).toEqual(shown);
    await plot.locator('button:has-text("Pin")').click();
    await page.waitForFunction(
      (to) => window.__viewer.plots()['energy']!.shown[1] > to + 0.2,
      shown[1],
    );
    await page.keyboard.press('Space');
  });
});

describe('together', () => {
  test('names change, speeds are shared, and a hand is seen with the name of whose it is', async () => {
    const b = await open(browser, server.url, { name: 'Bea' });
    await b.page.click('#pane-layers');
    await b.page.fill('#my-name', 'Beate');
    await b.page.press('#my-name', 'Enter');
    await page.waitForFunction(() => window.__viewer.clients.some((c) => c.name === 'Beate'));
    await b.page.selectOption('#speed', { label: '1/5×' });
    await page.waitForFunction(
      () =>
        document.querySelector<HTMLSelectElement>('#speed')!.selectedOptions[0]!.textContent ===
        '1/5×',
    );
    await b.page.selectOption('#speed', { label: '1×' });
    await page.waitForFunction(() => Math.abs(window.__viewer.frame.speed - 1) < 1e-6);
    // Two hands at once: each sees the other's.
    await b.page.waitForFunction(() => window.__viewer.frame.time === 0);
    const right = await b.page.evaluate(() => window.__viewer.screen('right'));
    await b.page.mouse.move(right.x, right.y);
    await b.page.mouse.down();
    await b.page.mouse.move(right.x + 30, right.y - 60, { steps: 4 });
    await drag(await spot('left'), -20, -60);
    await page.locator('.labels span', { hasText: 'Beate' }).waitFor();
    await b.page.locator('.labels span', { hasText: 'Ada' }).waitFor();
    expect(await page.evaluate(() => window.__viewer.frame.hands!.length)).toBe(16);
    await page.keyboard.press('Space');
    await page.waitForFunction(
      () => window.__viewer.position('left')[2] > 0.3 && window.__viewer.position('right')[2] > 0.2,
    );
    await page.mouse.up();
    await b.page.mouse.up();
    await page.waitForFunction(() => !window.__viewer.frame.hands);
    await page.keyboard.press('Space');
    expect(b.complaints).toEqual([]);
    await b.page.context().close();
    await page.waitForFunction(() => window.__viewer.clients.length === 1);
  });
});
