// The viewer in a real browser against the real program.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Served, launch, open, serve } from './harness';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
});

describe('a pendulum', () => {
  let server: Served;
  beforeAll(async () => {
    server = await serve('scenes/pendulum.toml', '--paused');
  });
  afterAll(() => server?.stop());

  test('loads, runs, pauses, steps and goes back without a complaint', async () => {
    const { page, complaints } = await open(browser, server.url);
    expect(await page.evaluate(() => window.__viewer.frame.running)).toBe(false);
    await page.click('#play');
    await page.waitForFunction(
      () => window.__viewer.frame.running && window.__viewer.frame.time > 0.5,
    );
    await page.keyboard.press('Space');
    await page.waitForFunction(() => !window.__viewer.frame.running);
    const before = await page.evaluate(() => window.__viewer.frame.step);
    await page.click('#step');
    await page.waitForFunction((n) => window.__viewer.frame.step === n + 1, before);
    await page.evaluate(() => {
      const slider = document.querySelector<HTMLInputElement>('#rewind')!;
      slider.value = '0.2';
      slider.dispatchEvent(new Event('input'));
    });
    await page.waitForFunction(() => Math.abs(window.__viewer.frame.time - 0.2) < 0.05);
    await page.click('#restart');
    await page.waitForFunction(() => window.__viewer.frame.time === 0);
    expect(await page.evaluate(() => window.__viewer.calls)).toBeGreaterThan(1);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('follows the hand, and its joint holds', async () => {
    const { page, complaints } = await open(browser, server.url);
    await page.keyboard.press('Home');
    await page.waitForFunction(() => window.__viewer.frame.time === 0);
    const body = await page.evaluate(() => window.__viewer.scene.bodies.at(-1)!.name);
    const from = await page.evaluate((n) => window.__viewer.screen(n), body);
    const start = await page.evaluate((n) => window.__viewer.position(n), body);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + 10, from.y - 40, { steps: 4 });
    await page.keyboard.press('Space');
    await page.mouse.move(from.x + 20, from.y - 120, { steps: 8 });
    await page.waitForFunction(
      ([n, z]) => window.__viewer.position(n as string)[2] > (z as number) + 0.02,
      [body, start[2]] as const,
    );
    const seen = await page.evaluate(() => ({
      worst: window.__viewer.frame.worst,
      tolerance: window.__viewer.scene.tolerance,
    }));
    expect(seen.worst[0]).toBeLessThanOrEqual(seen.tolerance[0]);
    expect(seen.worst[1]).toBeLessThanOrEqual(seen.tolerance[1]);
    await page.mouse.up();
    expect(await page.evaluate(() => window.__viewer.selected)).toEqual([body]);
    await page.keyboard.press('Space');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('plots energy and any quantity', async () => {
    const { page, complaints } = await open(browser, server.url);
    const body = await page.evaluate(() => window.__viewer.scene.bodies.at(-1)!.name);
    await page.click(`[data-name="${body}"]`);
    await page.click('.quantities button:has-text("velocity")');
    await page.click('#play');
    await page.waitForFunction(
      (p) => (window.__viewer.plots()[p]?.points ?? 0) > 20,
      `${body}.velocity`,
    );
    const plots = await page.evaluate(() => window.__viewer.plots());
    const [k, p, s, total] = plots['energy']!.last;
    expect(Math.abs(k! + p! + s! - total!)).toBeLessThan(1e-9 * Math.max(1, Math.abs(total!)));
    expect(plots[`${body}.velocity`]!.last.every(Number.isFinite)).toBe(true);
    expect(await page.locator('.plot canvas').count()).toBeGreaterThan(1);
    await page.keyboard.press('Space');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('is one world for two people, and the host decides', async () => {
    const a = await open(browser, server.url, { name: 'Ada' });
    await a.page.waitForFunction(() => window.__viewer.clients.length === 1);
    const b = await open(browser, server.url, { name: 'Bea' });
    await b.page.waitForFunction(() => window.__viewer.clients.length === 2);
    await a.page.click('#restart');
    await b.page.waitForFunction(() => window.__viewer.frame.time === 0);
    await b.page.click('#step');
    const state = () => ({
      step: window.__viewer.frame.step,
      at: window.__viewer.scene.bodies.map((x) => window.__viewer.position(x.name)),
    });
    await a.page.waitForFunction(() => window.__viewer.frame.time > 0);
    await b.page.waitForFunction(() => window.__viewer.frame.time > 0);
    expect(await a.page.evaluate(state)).toEqual(await b.page.evaluate(state));
    await a.page.click('#pane-layers');
    await a.page.click('input[aria-label="Bea may only watch"]');
    await b.page.waitForFunction(() => window.__viewer.clients.some((c) => c.role === 'watcher'));
    const before = await a.page.evaluate(() => window.__viewer.frame.step);
    await b.page.click('#step');
    await b.page.waitForSelector('.toast.warning');
    expect(await a.page.evaluate(() => window.__viewer.frame.step)).toBe(before);
    expect([...a.complaints, ...b.complaints]).toEqual([]);
    await a.page.context().close();
    await b.page.context().close();
  });
});

describe('a four-bar', () => {
  let server: Served;
  beforeAll(async () => {
    server = await serve('scenes/features/four-bar.toml');
  });
  afterAll(() => server?.stop());

  test('is not broken by dragging it against its joints', async () => {
    const { page, complaints } = await open(browser, server.url);
    await page.evaluate(() => {
      const w = window as unknown as { most: number; steps: number };
      w.most = w.steps = 0;
      let last = -1;
      const watch = () => {
        const f = window.__viewer.frame;
        if (f.step !== last) w.steps++;
        last = f.step;
        w.most = Math.max(w.most, ...f.worst);
        requestAnimationFrame(watch);
      };
      watch();
    });
    const from = await page.evaluate(() => window.__viewer.screen('coupler'));
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    for (const [x, y] of [
      [-300, 0],
      [300, 200],
      [-250, -200],
      [0, 250],
      [350, -250],
    ]) {
      await page.mouse.move(from.x + x!, from.y + y!, { steps: 6 });
      await page.waitForTimeout(250);
    }
    await page.mouse.up();
    const { most, steps, tolerance } = await page.evaluate(() => {
      const w = window as unknown as { most: number; steps: number };
      return { most: w.most, steps: w.steps, tolerance: window.__viewer.scene.tolerance };
    });
    expect(steps).toBeGreaterThan(10);
    expect(most).toBeLessThanOrEqual(tolerance[0]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('gets a hinge and loses it again by undo', async () => {
    const { page, complaints } = await open(browser, server.url);
    const joints = await page.evaluate(() => window.__viewer.scene.joints.length);
    await page.click('#pane-add');
    await page.click('[data-create="box"]');
    await page.waitForFunction(() => window.__viewer.scene.bodies.length === 4);
    const made = await page.evaluate(() => window.__viewer.scene.bodies.at(-1)!.name);
    await page.click('#pane-list');
    await page.click(`[data-name="${made}"]`);
    await page.click('#pane-add');
    await page.click('[data-create="hinge"]');
    await page.waitForFunction((n) => window.__viewer.scene.joints.length === n + 1, joints);
    expect(await page.evaluate(() => window.__viewer.scene.joints.at(-1)!.kind)).toBe('hinge');
    await page.keyboard.press('Control+z');
    await page.waitForFunction((n) => window.__viewer.scene.joints.length === n, joints);
    await page.keyboard.press('Control+z');
    await page.waitForFunction(() => window.__viewer.scene.bodies.length === 3);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('has a layout for phones', async () => {
    const { page, complaints } = await open(browser, server.url, { size: [390, 760] });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(390);
    const view = await page.locator('canvas.view').boundingBox();
    expect(view!.height).toBeGreaterThan(380);
    await page.click('#pane-list');
    await page.waitForSelector('.tree .row');
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
