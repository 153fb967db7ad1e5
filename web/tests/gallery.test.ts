// Scenes load and show something, and the console stays silent. KREISEL_GALLERY=all takes every
// scene; otherwise every twelfth, which is a minute less for continuous integration.
// KREISEL_SHOTS=FOLDER also writes a picture of each, to be looked at.
//
// One program and one page per folder: the scenes are opened from the page, as a user opens them.

import { mkdirSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Served, launch, open, serve } from './harness';

const ROOT = new URL('../../scenes/', import.meta.url).pathname;
const SHOTS = process.env.KREISEL_SHOTS;
// Settings that other scenes of its folder include: there is nothing to see.
const PARTS = ['composition/common.toml'];
const every = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((n) => n.endsWith('.toml') && !n.startsWith('broken') && !PARTS.includes(n))
  .sort();

const scenes = process.env.KREISEL_GALLERY === 'all' ? every : every.filter((_, k) => k % 12 === 0);

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
});

describe.each([...new Set(scenes.map(dirname))])('%s', (folder) => {
  const mine = scenes.filter((n) => dirname(n) === folder);
  let server: Served;
  let page: Page;
  let complaints: string[];
  beforeAll(async () => {
    server = await serve(`scenes/${mine[0]}`);
    ({ page, complaints } = await open(browser, server.url, {
      size: SHOTS ? [900, 506] : [640, 360],
      plain: !SHOTS,
      bare: !!SHOTS,
    }));
  });
  afterAll(async () => {
    await page?.context().close();
    server?.stop();
  });

  test.each(mine)('%s', async (scene) => {
    const name = scene.split('/').at(-1)!;
    complaints.length = 0;
    if (scene !== mine[0]) {
      const before = await page.evaluate(() => window.__viewer.scene.load);
      await page.evaluate(() => {
        // In a narrow window a second click on the tab would close it.
        if (!document.querySelector('#open-scene'))
          document.querySelector<HTMLElement>('#pane-layers')!.click();
        document.querySelector<HTMLElement>('#open-scene')!.click();
      });
      await page.waitForSelector('dialog[open] .choice');
      await page.evaluate(
        (n) =>
          document.querySelector<HTMLElement>(`dialog[open] [data-name="${n}"] button`)!.click(),
        name,
      );
      await page.waitForFunction((n) => window.__viewer.scene.load !== n, before);
    }
    const seen = await page.evaluate(() => window.__viewer.pictures);
    await page.waitForFunction(
      (n) =>
        window.__viewer.shown === window.__viewer.scene.revision &&
        window.__viewer.frame.time > 0 &&
        window.__viewer.pictures > n + 3,
      seen,
    );
    expect(await page.evaluate(() => window.__viewer.frame.bodies)).toBeGreaterThan(0);
    expect(
      await page.evaluate(() => document.querySelector('.toast.error')?.textContent ?? ''),
    ).toBe('');
    if (SHOTS) {
      // Some scenes are slow; then an earlier moment has to do.
      await page
        .waitForFunction(() => window.__viewer.frame.time > 1, undefined, { timeout: 6000 })
        .catch(() => undefined);
      mkdirSync(SHOTS, { recursive: true });
      await page.screenshot({
        path: `${SHOTS}/${scene.replaceAll('/', '-').replace('.toml', '')}.jpg`,
        type: 'jpeg',
        quality: 82,
      });
    }
    expect(complaints).toEqual([]);
  });
});
