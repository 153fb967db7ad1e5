// The page that `kreisel view` opens without a scene.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Served, launch, listen, open, serve } from './harness';

let browser: Browser;
let server: Served;
beforeAll(async () => {
  browser = await launch();
  server = await serve('--paused');
});
afterAll(async () => {
  server?.stop();
  await browser?.close();
});

test('shows the gallery by theme, finds a scene, opens it and runs it', async () => {
  const { page, complaints } = await open(browser, server.url);
  await page.waitForSelector('dialog #new-scene');
  const themes = await page.$$eval('dialog h3', (list) => list.map((e) => e.textContent));
  expect(themes).toContain('scenes/contact');
  expect(themes).toContain('scenes/features');
  await page.fill('#seek-scene', 'four-bar');
  const left = page.locator('dialog .choice[data-name]:visible');
  expect(await left.count()).toBeGreaterThan(0);
  if (process.env.KREISEL_PICTURES) await page.screenshot({ path: process.env.KREISEL_PICTURES });
  await page
    .locator('dialog .choice[data-name="scenes/features/four-bar.toml"] button', {
      hasText: 'open',
    })
    .click();
  await page.waitForFunction(() => window.__viewer.scene.bodies.some((b) => b.name === 'coupler'));
  await page.waitForFunction(() => window.__viewer.frame.running && window.__viewer.frame.time > 0);
  // the help page is always there, but closed
  expect(await page.$('dialog[open]')).toBeNull();
  expect(complaints).toEqual([]);

  // the plain address works from now on: the token is a cookie
  const again = await page.context().newPage();
  const told = listen(again);
  const plain = new URL(server.url);
  await again.goto(`${plain.origin}/?plain`);
  await again.waitForFunction(() => window.__viewer?.ready === true);
  expect(told).toEqual([]);

  // whoever comes to the start page now is not promised a new scene
  await again.goto(`${plain.origin}/?plain&start`);
  await again.waitForSelector('dialog #new-scene:has-text("Go on")');
  await page.context().close();
});

test('a page without the token is told why it has no world', async () => {
  const plain = new URL(server.url);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${plain.origin}/?plain`);
  await page.waitForFunction(() => document.body.textContent!.includes('token is missing'));
  await context.close();
});

test('the camera goes along with a body, and looks from above', async () => {
  // a world of its own: the first test has opened another scene, which runs
  const fresh = await serve('--paused');
  const { page, complaints } = await open(browser, fresh.url);
  await page.waitForSelector('dialog #new-scene:has-text("New scene")');
  await page.click('#new-scene');
  const name = await page.evaluate(() => window.__viewer.scene.bodies.at(-1)!.name);
  const at = await page.evaluate((n) => window.__viewer.screen(n), name);
  await page.mouse.click(at.x, at.y);
  await page.waitForFunction((n) => window.__viewer.selected.includes(n), name);
  await page.evaluate(() => document.querySelector<HTMLElement>('canvas')!.focus());
  await page.keyboard.press('c');
  await page.evaluate(() => window.__viewer.render());
  const before = await page.evaluate((n) => window.__viewer.screen(n), name);
  const place = await page.evaluate((n) => window.__viewer.position(n), name);
  await page.keyboard.press('Space');
  await page.waitForFunction(
    ([n, p]) => {
      const now = window.__viewer.position(n as string);
      return Math.hypot(...now.map((x, k) => x - (p as number[])[k]!)) > 0.05;
    },
    [name, place] as const,
  );
  // it has moved in the world, and not in the picture
  const after = await page.evaluate((n) => window.__viewer.screen(n), name);
  expect(Math.hypot(after.x - before.x, after.y - before.y)).toBeLessThan(3);
  await page.keyboard.press('c');

  // from above a point and the one a metre over it lie at one place, near the middle of the picture
  await page.keyboard.press('3');
  const gap = await page.evaluate(() => {
    const low = window.__viewer.screenAt(0, 0, 0);
    const high = window.__viewer.screenAt(0, 0, 0.1);
    const far = window.__viewer.screenAt(0.1, 0, 0);
    return [Math.hypot(low.x - high.x, low.y - high.y), Math.hypot(low.x - far.x, low.y - far.y)];
  });
  expect(gap[0]!).toBeLessThan(0.5 * gap[1]!);
  expect(complaints).toEqual([]);
  await page.context().close();
  fresh.stop();
});
