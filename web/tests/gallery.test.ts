// Scenes load and show something, and the console stays silent. KREISEL_GALLERY=all takes every scene; otherwise every twelfth,
// which is some minutes less for continuous integration.

import { readdirSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, open, serve } from './harness';

const ROOT = new URL('../../scenes/', import.meta.url).pathname;
const every = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((n) => n.endsWith('.toml') && !n.startsWith('broken'))
  .sort()
  .map((n) => `scenes/${n}`);

const scenes = process.env.KREISEL_GALLERY === 'all' ? every : every.filter((_, k) => k % 12 === 0);

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
});

test.each(scenes)('%s', async (scene) => {
  const server = await serve(scene);
  try {
    const { page, complaints } = await open(browser, server.url, { size: [640, 360] });
    await page.waitForFunction(() => window.__viewer.frame.step > 3);
    expect(await page.evaluate(() => window.__viewer.frame.bodies)).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  } finally {
    server.stop();
  }
});
