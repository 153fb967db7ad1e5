// Editing, measuring and files in a real browser against the real program.

import { mkdtempSync, readFileSync, readdirSync, copyFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Download, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Served, launch, open, serve } from './harness';

const ROOT = new URL('../../', import.meta.url).pathname;
let browser: Browser;
let server: Served;
let folder: string;

beforeAll(async () => {
  browser = await launch();
  // A folder of its own: worlds are saved there.
  folder = mkdtempSync(join(tmpdir(), 'kreisel-view-'));
  copyFileSync(join(ROOT, 'scenes/features/four-bar.toml'), join(folder, 'four-bar.toml'));
  copyFileSync(join(ROOT, 'scenes/pendulum.toml'), join(folder, 'pendulum.toml'));
  server = await serve(join(folder, 'four-bar.toml'), '--paused');
});
afterAll(async () => {
  server?.stop();
  await browser?.close();
});

const counts = (page: Page) =>
  page.evaluate(() => {
    const s = window.__viewer.scene;
    return {
      bodies: s.bodies.length,
      joints: s.joints.length,
      springs: s.springs.length,
      motors: s.motors.length,
      elements: s.elements.length,
      fields: s.fields.length,
    };
  });
const has = (
  page: Page,
  what: Partial<Record<'bodies' | 'joints' | 'springs' | 'motors' | 'elements' | 'fields', number>>,
) =>
  page.waitForFunction(
    (w) =>
      Object.entries(w).every(
        ([k, n]) =>
          (window.__viewer.scene as unknown as Record<string, unknown[]>)[k]!.length === n,
      ),
    what,
  );
const select = async (page: Page, ...names: string[]) => {
  await page.click('#pane-list');
  for (const [k, name] of names.entries())
    await page.click(`[data-name="${name}"]`, { modifiers: k ? ['Shift'] : [] });
  await page.waitForFunction((n) => window.__viewer.selected.length === n, names.length);
};
const file = async (
  page: Page,
  act: () => Promise<void>,
): Promise<{ name: string; bytes: Buffer }> => {
  const [d]: [Download, void] = await Promise.all([page.waitForEvent('download'), act()]);
  return { name: d.suggestedFilename(), bytes: readFileSync((await d.path())!) };
};

describe('a four-bar that is edited', () => {
  test('gets a spring, a motor and a ball joint, loses them in a cascade, and undo brings all back', async () => {
    const { page, complaints } = await open(browser, server.url);
    const start = await counts(page);
    await page.click('#pane-add');
    await page.click('[data-create="sphere"]');
    await has(page, { bodies: start.bodies + 1 });
    const made = await page.evaluate(() => window.__viewer.scene.bodies.at(-1)!.name);
    await select(page, 'coupler', made);
    await page.click('#pane-add');
    await page.click('[data-create="spring"]');
    await has(page, { springs: start.springs + 1 });
    await select(page, made);
    await page.click('#pane-add');
    await page.click('[data-create="hinge"]');
    await has(page, { joints: start.joints + 1 });
    const joint = await page.evaluate(() => window.__viewer.scene.joints.at(-1)!.name);
    await select(page, joint);
    await page.click('#pane-add');
    await page.click('[data-create="velocity motor"]');
    await has(page, { motors: start.motors + 1 });
    // the body takes joint, motor and spring along
    await select(page, made);
    await page.keyboard.press('Delete');
    await has(page, start);
    await page.click('#undo');
    await has(page, {
      bodies: start.bodies + 1,
      joints: start.joints + 1,
      springs: start.springs + 1,
      motors: start.motors + 1,
    });
    await page.click('#redo');
    await has(page, start);
    for (let k = 0; k < 5; k++) await page.keyboard.press('Control+z');
    await has(page, start);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('is copied with its joints and pasted', async () => {
    const { page, complaints } = await open(browser, server.url);
    const start = await counts(page);
    const names = await page.evaluate(() => window.__viewer.scene.bodies.map((b) => b.name));
    await select(page, ...names);
    await page.keyboard.press('Control+c');
    await page.keyboard.press('Control+v');
    await has(page, { bodies: 2 * start.bodies });
    expect((await counts(page)).joints).toBe(2 * start.joints);
    await page.keyboard.press('Control+z');
    await has(page, start);
    expect(complaints).toEqual([]);
    await page.context().close();
  });


  test('has a motor whose schedule is a curve, and properties with units', async () => {
    const { page, complaints } = await open(browser, server.url);
    const joint = await page.evaluate(() => window.__viewer.scene.joints[0]!.name);
    const motors = (await counts(page)).motors;
    await select(page, joint);
    await page.click('#pane-add');
    await page.click('[data-create="torque motor"]');
    await has(page, { motors: motors + 1 });
    const motor = await page.evaluate(() => window.__viewer.scene.motors.at(-1)!.name);
    await select(page, motor);
    const curve = page.locator('svg.curve');
    await curve.waitFor();
    const before = await page.locator('svg.curve .dot').count();
    const box = (await curve.boundingBox())!;
    await page.mouse.click(box.x + 0.7 * box.width, box.y + 0.3 * box.height);
    await page.waitForFunction(
      (n) => document.querySelectorAll('svg.curve .dot').length === n + 1,
      before,
    );
    await page.keyboard.press('Escape');
    await select(page, motor);
    await page.waitForFunction(
      (n) => document.querySelectorAll('svg.curve .dot').length === n + 1,
      before,
    );
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await has(page, { motors });
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('gets a constraint between connectors and a field', async () => {
    const { page, complaints } = await open(browser, server.url);
    const start = await counts(page);
    const names = await page.evaluate(() => window.__viewer.scene.bodies.map((b) => b.name));
    await select(page, names[0]!, names[1]!);
    await page.click('#pane-add');
    await page.click('[data-constraint="distance"]');
    await has(page, { elements: start.elements + 1 });
    await page.click('[data-field="friction"]');
    await has(page, { fields: start.fields + 1 });
    const element = await page.evaluate(() => window.__viewer.scene.elements.at(-1)!.name);
    await select(page, element);
    await page.waitForSelector('.property:has-text("length")');
    await page.keyboard.press('Delete');
    await has(page, { elements: start.elements, fields: start.fields + 1 });
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await has(page, start);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('gets a material: friction and colour of several bodies at once', async () => {
    const { page, complaints } = await open(browser, server.url);
    const names = await page.evaluate(() => window.__viewer.scene.bodies.map((b) => b.name));
    await select(page, names[0]!, names[1]!);
    await page.waitForSelector('h3:has-text("Material of 2 bodies")');
    const friction = page.locator('[aria-label="friction"]');
    await friction.fill('0.123');
    await friction.press('Enter');
    await page.locator('[aria-label="color"]').evaluate((e: HTMLInputElement) => {
      e.value = '#aa3366';
      e.dispatchEvent(new Event('change'));
    });
    await page.waitForFunction(() =>
      window.__viewer.scene.bodies
        .slice(0, 2)
        .every((b) => JSON.stringify(b.color) === '[170,51,102]'),
    );
    await select(page, names[0]!);
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('[aria-label="friction"]')?.value === '0.123',
    );
    await page.waitForFunction(() =>
      [...document.querySelectorAll('h3')].some((e) => e.textContent === 'Material'),
    );
    for (let k = 0; k < 4; k++) await page.keyboard.press('Control+z');
    await page.waitForFunction(() =>
      window.__viewer.scene.bodies
        .slice(0, 2)
        .every((b) => JSON.stringify(b.color) !== '[170,51,102]'),
    );
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('is plotted, and the plot is given away as CSV and PNG; so are pictures and videos', async () => {
    const { page, complaints } = await open(browser, server.url);
    await page.click('#pane-plot');
    await page.click('#play');
    await page.waitForFunction(() => window.__viewer.plots()['energy']!.points > 30);
    const csv = await file(page, () =>
      page.click('.plot[data-path="energy"] button:has-text("CSV")'),
    );
    const lines = csv.bytes.toString().trim().split('\n');
    expect(lines[0]).toBe('"time [s]","kinetic [J]","potential [J]","spring [J]","total [J]"');
    expect(lines.length).toBeGreaterThan(30);
    expect(
      lines
        .slice(1)
        .every(
          (l) => l.split(',').length === 5 && l.split(',').every((x) => Number.isFinite(Number(x))),
        ),
    ).toBe(true);
    const png = await file(page, () =>
      page.click('.plot[data-path="energy"] button:has-text("PNG")'),
    );
    expect(png.bytes.subarray(1, 4).toString()).toBe('PNG');
    const picture = await file(page, () => page.click('#picture'));
    expect(picture.bytes.subarray(1, 4).toString()).toBe('PNG');
    expect(picture.bytes.length).toBeGreaterThan(5000);
    await page.click('#record');
    await page.waitForSelector('#record.on');
    await page.waitForTimeout(800);
    const video = await file(page, () => page.click('#record'));
    expect(video.name).toBe('kreisel.webm');
    // EBML, the container's mark
    expect([...video.bytes.subarray(0, 4)]).toEqual([0x1a, 0x45, 0xdf, 0xa3]);
    await page.keyboard.press('Space');
    expect(complaints).toEqual([]);
    await page.context().close();
  });


  test('is saved as a download and beside the scene, opened again, merged, and loaded from a file', async () => {
    const { page, complaints } = await open(browser, server.url);
    const start = await counts(page);
    await page.keyboard.press('Control+s');
    const saved = await file(page, () => page.click('#save-download'));
    expect(saved.name).toBe('scene.toml');
    expect(saved.bytes.toString()).toContain('[[joint]]');
    await page.click('#save');
    await page.fill('#save-name', 'mine.toml');
    await page.click('#save-beside');
    await page.waitForSelector('.toast:has-text("saved as mine.toml")');
    expect(readdirSync(folder).sort()).toEqual(['four-bar.toml', 'mine.toml', 'pendulum.toml']);
    expect(readFileSync(join(folder, 'mine.toml'), 'utf8')).toBe(saved.bytes.toString());
    await page.click('#pane-layers');
    await page.click('#open-scene');
    await page.click('.choice[data-name="pendulum.toml"] button:has-text("merge")');
    await page.waitForFunction((n) => window.__viewer.scene.bodies.length > n, start.bodies);
    await page.click('#open-scene');
    await page.click('.choice[data-name="mine.toml"] button:has-text("open")');
    await has(page, start);
    await page.click('#open-scene');
    await page.setInputFiles('#local-file', join(folder, 'pendulum.toml'));
    await page.waitForFunction(() => window.__viewer.scene.joints.length === 1);
    await page.keyboard.press('Control+z');
    await has(page, start);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('is shown in light and dark', async () => {
    const { page, complaints } = await open(browser, server.url);
    const color = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await color();
    await page.click('#theme');
    await page.waitForFunction((d) => getComputedStyle(document.body).backgroundColor !== d, dark);
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('light');
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
