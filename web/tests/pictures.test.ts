// Pictures of the viewer for the book: `KREISEL_PICTURES=1 npx vitest run tests/pictures.test.ts`
// writes docs/pictures/live-*.png and view-*.jpg. Look at them before you commit them.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import { launch, open, serve } from './harness';

const OUT = new URL('../../docs/pictures/', import.meta.url).pathname;

interface Shot {
  name: string;
  scene: string;
  theme: string;
  size: [number, number];
  /** Simulated time to wait for, s. */
  time: number;
  /** Only the view, as a JPEG: for the gallery. */
  bare?: boolean;
  prepare?: (page: Page) => Promise<void>;
}

const shots: Shot[] = [
  {
    name: 'live-dark',
    scene: 'scenes/features/four-bar.toml',
    theme: 'dark',
    size: [1200, 700],
    time: 2.5,
    prepare: async (page) => {
      await page.click('#pane-plot');
    },
  },
  {
    name: 'live-light',
    scene: 'scenes/contact/heap.toml',
    theme: 'light',
    size: [1200, 700],
    time: 2,
    prepare: async (page) => {
      await page.click('[data-name="ball 8"]');
    },
  },
  {
    name: 'live-net',
    scene: 'scenes/chains/net.toml',
    theme: 'dark',
    size: [1200, 700],
    time: 1.2,
    prepare: async (page) => {
      await page.click('#pane-layers');
    },
  },
  {
    name: 'live-phone',
    scene: 'scenes/chains/chain.toml',
    theme: 'dark',
    size: [390, 780],
    time: 0.8,
  },
  {
    name: 'live-phone-panel',
    scene: 'scenes/features/four-bar.toml',
    theme: 'light',
    size: [390, 780],
    time: 1,
    prepare: async (page) => {
      await page.click('#pane-list');
    },
  },
];

// The gallery's first page: the viewer's own pictures of scenes that show what it can do.
const GALLERY: [string, string, string, number][] = [
  ['heap', 'contact/heap', 'light', 2.5],
  ['wall', 'contact/wall', 'dark', 1.5],
  ['card-house', 'contact/card-house', 'light', 0.3],
  ['star', 'chains/star', 'light', 0.5],
  ['net', 'chains/net', 'dark', 0.9],
  ['squeezer', 'iftomm/a03-andrews-squeezer', 'light', 0.02],
  ['spider', 'composition/spider', 'light', 0.5],
  ['shapes', 'shapes/gallery', 'dark', 0.4],
  ['crank', 'features/kinematic-crank', 'light', 0.4],
  ['path', 'wagner/point-to-path', 'light', 2.5],
  ['bricard', 'iftomm/a04-bricard', 'light', 0.7],
];
for (const [name, scene, theme, time] of GALLERY)
  shots.push({
    name: `view-${name}`,
    scene: `scenes/${scene}.toml`,
    theme,
    size: [800, 450],
    time,
    bare: true,
  });

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
});

test.runIf(process.env.KREISEL_PICTURES)(
  'pictures for the book',
  async () => {
    for (const shot of shots) {
      const server = await serve(shot.scene);
      try {
        const { page } = await open(browser, server.url, {
          size: shot.size,
          plain: false,
          bare: shot.bare,
          theme: shot.theme,
          name: 'Ada',
        });
        await shot.prepare?.(page);
        await page.waitForFunction((t) => window.__viewer.frame.time > t, shot.time);
        await page.keyboard.press('Space');
        await page.waitForFunction(() => !window.__viewer.frame.running);
        await page.waitForTimeout(800);
        await page.screenshot(
          shot.bare
            ? { path: `${OUT}${shot.name}.jpg`, type: 'jpeg', quality: 80 }
            : { path: `${OUT}${shot.name}.png` },
        );
        await page.context().close();
      } finally {
        server.stop();
      }
    }
  },
  600_000,
);
