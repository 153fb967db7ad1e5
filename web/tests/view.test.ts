// What is drawn and how it is looked at, in a real browser against the real program.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Served, drawn, launch, open, serve, still } from './harness';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
});

/** How long something may take to be seen, on a machine that is busy with other things, too. */
const SOON = { timeout: 20_000 };

/** How many pixels of the view are near to a colour. */
const pixels = (page: Page, color: [number, number, number], reach = 60) =>
  page.evaluate(
    async ([c, reach]) => {
      const view = document.querySelector<HTMLCanvasElement>('canvas.view')!;
      await new Promise((done) => requestAnimationFrame(done));
      // In the same task as the drawing, while the picture is still there.
      return new Promise<number>((done) =>
        requestAnimationFrame(() => {
          const copy = document.createElement('canvas');
          [copy.width, copy.height] = [view.width, view.height];
          const context = copy.getContext('2d')!;
          window.__viewer.render();
          context.drawImage(view, 0, 0);
          const d = context.getImageData(0, 0, copy.width, copy.height).data;
          let n = 0;
          for (let k = 0; k < d.length; k += 4)
            if (
              Math.abs(d[k]! - c[0]!) + Math.abs(d[k + 1]! - c[1]!) + Math.abs(d[k + 2]! - c[2]!) <
              reach
            )
              n++;
          done(n);
        }),
      );
    },
    [color, reach] as const,
  );

const layer = async (page: Page, name: string) => {
  await page.click('#pane-layers');
  await page.click(`#layer-${name}`);
};

describe('layers', () => {
  // Colours as in view/overlays.ts: arrows and lines are not shaded.
  const four: [string, [number, number, number]][] = [
    ['velocities', [0x2f, 0xd2, 0x7a]],
    ['reactions', [0xff, 0x7a, 0x45]],
    ['axes', [0xff, 0x4d, 0x4d]],
    ['boxes', [0x8a, 0x8f, 0x98]],
  ];
  test('velocities, reactions, axes, boxes, trails and names of a four-bar are drawn when asked for, and only then', async () => {
    const server = await serve('scenes/features/four-bar.toml');
    const { page, complaints } = await open(browser, server.url);
    await page.waitForFunction(() => window.__viewer.frame.time > 0.6);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => !window.__viewer.frame.running);
    for (const [name, color] of four) {
      const before = await pixels(page, color);
      await layer(page, name);
      await expect.poll(() => pixels(page, color), SOON).toBeGreaterThan(before + 40);
      await page.click(`#layer-${name}`);
      await expect.poll(() => pixels(page, color), SOON).toBeLessThan(before + 20);
    }
    await layer(page, 'names');
    await page.waitForFunction(
      () =>
        document.querySelectorAll('.labels span').length === window.__viewer.scene.bodies.length,
    );
    await page.click('#layer-names');
    await page.waitForFunction(() => document.querySelectorAll('.labels span').length === 0);
    const calls = await page.evaluate(() => window.__viewer.calls);
    await page.click('#layer-trails');
    await page.keyboard.press('Space');
    await page.waitForFunction((n) => window.__viewer.calls > n, calls);
    expect(complaints).toEqual([]);
    await page.context().close();
    server.stop();
  });

  test('contacts show their forces in front of the bodies that they act on', async () => {
    const server = await serve('scenes/contact/heap.toml');
    const { page, complaints } = await open(browser, server.url);
    await page.waitForFunction(() => window.__viewer.frame.time > 1);
    const pink: [number, number, number] = [0xff, 0x3f, 0xa4];
    expect(await pixels(page, pink)).toBeLessThan(5);
    await layer(page, 'contacts');
    await expect.poll(() => pixels(page, pink), SOON).toBeGreaterThan(100);
    expect(complaints).toEqual([]);
    await page.context().close();
    server.stop();
  });

  test('constraints, controllers, connectors, curves and fields have the signs of the thesis, and can be clicked', async () => {
    // Wagner 6.5.2.3: cylinders between linked points, a cone along a vector force, cubes at
    // connectors.
    let server: Served = await serve('scenes/wagner/controllers.toml', '--paused');
    let { page, complaints } = await open(browser, server.url);
    await page.waitForFunction(() => window.__viewer.signs.cones === 1);
    const signs = await page.evaluate(() => window.__viewer.signs);
    // spring, trajectory and PID between two connectors each; seven connectors in all
    expect(signs).toEqual({ cylinders: 3, spheres: 0, cones: 1, cubes: 7, fields: 0, curves: 0 });
    await layer(page, 'connectors');
    await page.waitForFunction(() => window.__viewer.signs.cubes === 0);
    await page.click('#layer-elements');
    await page.waitForFunction(() => window.__viewer.signs.cylinders === 0);
    await page.click('#layer-elements');
    await page.waitForFunction(() => window.__viewer.signs.cylinders === 3);
    // the spring hangs from (2, 0, 2) to the ball at (2, 0, 0)
    const middle = await page.evaluate(() => window.__viewer.screenAt(2, 0, 1.2));
    await page.keyboard.press('v');
    await page.mouse.click(middle.x, middle.y);
    const picked = await page.evaluate(() => window.__viewer.selected[0]);
    expect(
      await page.evaluate(
        (n) => window.__viewer.scene.elements.find((e) => e.name === n)?.kind,
        picked,
      ),
    ).toBe('spring');
    expect(complaints).toEqual([]);
    await page.context().close();
    server.stop();
    for (const [scene, sign, count] of [
      ['point-to-function', 'spheres', 1],
      ['velocity-to-function', 'spheres', 1],
      ['point-to-path', 'curves', 1],
      ['fields', 'fields', 1],
    ] as const) {
      server = await serve(`scenes/wagner/${scene}.toml`, '--paused');
      ({ page, complaints } = await open(browser, server.url));
      await page.waitForFunction(() => Object.values(window.__viewer.signs).some((n) => n > 0));
      expect(
        (await page.evaluate(() => window.__viewer.signs))[sign],
        scene,
      ).toBeGreaterThanOrEqual(count);
      expect(complaints).toEqual([]);
      await page.context().close();
      server.stop();
    }
  });
});

describe('the camera', () => {
  test('orbits, comes near, shows the selection and everything', async () => {
    const server = await serve('scenes/chains/chain.toml', '--paused');
    const { page, complaints } = await open(browser, server.url);
    const body = await page.evaluate(() => window.__viewer.scene.bodies[0]!.name);
    const eye = () => page.evaluate(() => window.__viewer.eye);
    const spot = () => page.evaluate((n) => window.__viewer.screen(n), body);
    const [start, before] = [await eye(), await spot()];
    // The corner of the view: background, so that the camera is dragged and not a body.
    await page.mouse.move(500, 440);
    await page.mouse.down();
    await page.mouse.move(420, 400, { steps: 5 });
    await page.mouse.up();
    await still(page);
    const turned = await spot();
    expect(Math.hypot(turned.x - before.x, turned.y - before.y)).toBeGreaterThan(10);
    expect(Math.abs((await eye()) / start - 1)).toBeLessThan(1e-3);
    await page.mouse.wheel(0, -600);
    await page.waitForFunction((d) => window.__viewer.eye < 0.9 * d, start);
    await page.click(`[data-name="${body}"]`);
    await page.keyboard.press('z');
    await page.waitForFunction((d) => window.__viewer.eye < 0.5 * d, start);
    await still(page);
    const view = (await page.locator('canvas.view').boundingBox())!;
    const near = await spot();
    expect(Math.abs(near.x - view.x - view.width / 2)).toBeLessThan(0.2 * view.width);
    expect(Math.abs(near.y - view.y - view.height / 2)).toBeLessThan(0.2 * view.height);
    await page.keyboard.press('a');
    await page.waitForFunction((d) => window.__viewer.eye > 0.6 * d, start);
    expect(complaints).toEqual([]);
    await page.context().close();
    server.stop();
  });

  test('goes back when something moves away, until somebody takes it', async () => {
    const server = await serve('scenes/joints/slider.toml', '--paused');
    const { page, complaints } = await open(browser, server.url);
    const eye = () => page.evaluate(() => window.__viewer.eye);
    const start = await eye();
    await page.click('#play');
    await page.waitForFunction(
      (d) => window.__viewer.frame.time > 1 && window.__viewer.eye > 1.2 * d,
      start,
    );
    // The wheel takes the camera; from then on it stays though the body slides on.
    await page.mouse.move(300, 400);
    await page.mouse.wheel(0, -100);
    await still(page);
    const [mine, time] = [await eye(), await page.evaluate(() => window.__viewer.frame.time)];
    await page.waitForFunction((t) => window.__viewer.frame.time > t + 0.7, time);
    expect(Math.abs((await eye()) / mine - 1)).toBeLessThan(0.02);
    expect(complaints).toEqual([]);
    await page.context().close();
    server.stop();
  });

  test('frames every body of a scene within the view, wide or narrow', async () => {
    const server = await serve('scenes/features/motors.toml', '--paused');
    for (const size of [
      [900, 520],
      [390, 780],
      [820, 1100],
    ] as [number, number][]) {
      const { page } = await open(browser, server.url, { size });
      await page.keyboard.press('a');
      await still(page);
      const view = (await page.locator('canvas.view').boundingBox())!;
      const spots = await page.evaluate(() =>
        window.__viewer.scene.bodies.map((b) => window.__viewer.screen(b.name)),
      );
      for (const s of spots) {
        expect(s.x).toBeGreaterThan(view.x);
        expect(s.x).toBeLessThan(view.x + view.width);
        expect(s.y).toBeGreaterThan(view.y);
        expect(s.y).toBeLessThan(view.y + view.height);
      }
      // and not lost in a corner: they take a fifth of the width at least
      expect(
        Math.max(...spots.map((s) => s.x)) - Math.min(...spots.map((s) => s.x)),
      ).toBeGreaterThan(0.2 * view.width);
      await page.context().close();
    }
    server.stop();
  });
});

describe('everyone', () => {
  test('finds a name on every button, field and picture, in all panels and dialogs', async () => {
    const server = await serve('scenes/features/motors.toml', '--paused');
    const { page, complaints } = await open(browser, server.url);
    const session = await page.context().newCDPSession(page);
    await session.send('Accessibility.enable');
    /** Controls that a screen reader could not name. */
    const nameless = async (): Promise<string[]> => {
      const { nodes } = (await session.send('Accessibility.getFullAXTree')) as {
        nodes: {
          ignored: boolean;
          role?: { value: string };
          name?: { value: string };
          backendDOMNodeId?: number;
        }[];
      };
      const roles = [
        'button',
        'checkbox',
        'combobox',
        'spinbutton',
        'textbox',
        'searchbox',
        'slider',
        'tab',
        'link',
        'dialog',
        'image',
        'img',
        'ColorWell',
        'toolbar',
        'tabpanel',
      ];
      return nodes
        .filter((n) => !n.ignored && roles.includes(n.role?.value ?? '') && !n.name?.value.trim())
        .map((n) => `${n.role?.value} ${n.backendDOMNodeId}`);
    };
    const names = await page.evaluate(() => [
      window.__viewer.scene.bodies[0]!.name,
      window.__viewer.scene.joints[0]!.name,
      window.__viewer.scene.motors[0]!.name,
    ]);
    await page.click('#pane-list');
    expect(await nameless()).toEqual([]);
    for (const name of names) {
      await page.click(`[data-name="${name}"]`);
      await page.waitForSelector(`.pane h2:has-text("${name}")`);
      expect(await nameless(), name).toEqual([]);
    }
    for (const pane of ['layers', 'add', 'plot']) {
      await page.click(`#pane-${pane}`);
      await drawn(page);
      expect(await nameless(), pane).toEqual([]);
    }
    for (const [key, name] of [
      ['?', 'Help'],
      ['Control+s', 'Save'],
    ]) {
      await page.keyboard.press(key!);
      await page.waitForSelector('dialog[open]');
      expect(await nameless(), name).toEqual([]);
      await page.keyboard.press('Escape');
    }
    // By keys alone: Tab reaches the button to run, Space presses it.
    await page.focus('#restart');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('play');
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.__viewer.frame.running);
    // After a click the space bar belongs to the world again, not to the button that was clicked.
    await page.click('#pane-plot');
    await page.click('.plot[data-path="energy"] button:has-text("Pin")');
    await page.keyboard.press('Space');
    await page.waitForFunction(() => !window.__viewer.frame.running);
    expect(
      await page.getAttribute('.plot[data-path="energy"] button:has-text("Pin")', 'aria-pressed'),
    ).toBe('true');
    expect(complaints).toEqual([]);
    await page.context().close();
    server.stop();
  });

  test('has every shortcut on the help page, and every one works', async () => {
    const server = await serve('scenes/features/four-bar.toml', '--paused');
    const { page, complaints } = await open(browser, server.url);
    await page.keyboard.press('?');
    const keys = await page.locator('dialog[open] kbd').allTextContents();
    for (const key of [
      'Space',
      '.',
      'Home',
      'A',
      'Z',
      'V',
      'G',
      'P',
      'F',
      'R',
      'M',
      'T',
      'Delete',
      'Ctrl C',
      'Ctrl V',
      'Ctrl Z',
      'Ctrl Y',
      'Ctrl S',
      'J',
      'X',
      'B',
      'L',
      'Esc',
      '?',
    ])
      expect(keys).toContain(key);
    await page.keyboard.press('Escape');
    for (const [key, tool] of [
      ['v', 'select'],
      ['p', 'push'],
      ['f', 'force'],
      ['r', 'torque'],
      ['m', 'move'],
      ['t', 'turn'],
      ['g', 'grab'],
    ]) {
      await page.keyboard.press(key!);
      await page.waitForSelector(`#tool-${tool}[aria-pressed="true"]`);
    }
    await page.click('#pane-layers');
    for (const [key, name] of [
      ['j', 'joints'],
      ['x', 'axes'],
      ['b', 'boxes'],
    ]) {
      const before = await page.isChecked(`#layer-${name}`);
      await page.keyboard.press(key!);
      expect(await page.isChecked(`#layer-${name}`)).toBe(!before);
    }
    const theme = await page.evaluate(() => document.documentElement.dataset.theme);
    await page.keyboard.press('l');
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).not.toBe(theme);
    const step = await page.evaluate(() => window.__viewer.frame.step);
    await page.keyboard.press('.');
    await page.waitForFunction((n) => window.__viewer.frame.step === n + 1, step);
    expect(complaints).toEqual([]);
    await page.context().close();
    server.stop();
  });

  test('on a phone reaches all tools and panels with a finger, and nothing is cut off', async () => {
    const server = await serve('scenes/pendulum.toml', '--paused');
    const { page, complaints } = await open(browser, server.url, { size: [390, 780], touch: true });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      390,
    );
    for (const pane of ['list', 'layers', 'add', 'plot']) {
      await page.tap(`#pane-${pane}`);
      for (const tool of ['select', 'grab', 'push', 'force', 'torque', 'move', 'turn']) {
        const box = (await page.locator(`#tool-${tool}`).boundingBox())!;
        const stage = (await page.locator('.stage').boundingBox())!;
        expect(box.y + box.height, `${tool} with ${pane}`).toBeLessThanOrEqual(
          stage.y + stage.height,
        );
        expect(box.x + box.width, tool).toBeLessThanOrEqual(390);
      }
      await page.tap(`#pane-${pane}`);
    }
    for (const id of [
      'play',
      'step',
      'restart',
      'undo',
      'save',
      'picture',
      'record',
      'theme',
      'help',
      'frame-all',
    ]) {
      const box = (await page.locator(`#${id}`).boundingBox())!;
      expect(box.x >= 0 && box.x + box.width <= 390 && box.y + box.height <= 780, id).toBe(true);
      expect(
        Math.min(box.width, box.height),
        `${id} is large enough for a finger`,
      ).toBeGreaterThanOrEqual(30);
    }
    await page.tap('#play');
    await page.waitForFunction(() => window.__viewer.frame.running);
    expect(complaints).toEqual([]);
    await page.context().close();
    server.stop();
  });
});
