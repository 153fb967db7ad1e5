// Pages without a server of ours: the static site from a subfolder, a shared link, dropped files,
// and one file from disk. They need the engine (`cargo xtask wasm`): KREISEL_SITE is the folder of
// a site.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROGRAM, ROOT, address, drawn, launch, listen, plain, still } from './harness';

const SITE = process.env.KREISEL_SITE;
/** CRC-32 bit by bit, not by the table of the page. */
function crc(bytes: Buffer): number {
  let c = 0xffffffff;
  for (const byte of bytes) {
    c ^= byte;
    for (let k = 0; k < 8; k++) c = (c >>> 1) ^ (c & 1 ? 0xedb88320 : 0);
  }
  return (c ^ 0xffffffff) >>> 0;
}

/** A zip archive (APPNOTE 4.3): the first file stored, the others deflated. */
function zip(files: [string, Buffer][]): Buffer {
  const [out, list]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const [k, [name, bytes]] of files.entries()) {
    const data = k ? deflateRawSync(bytes) : bytes;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(k ? 8 : 0, 4);
    common.writeUInt32LE(crc(bytes), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), data]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    list.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), common, rest, Buffer.from(name)]));
    out.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...out, directory, end]);
}

describe.skipIf(!SITE)('without a server', () => {
  let browser: Browser;
  let server: Server;
  let base: string;
  beforeAll(async () => {
    browser = await launch();
    server = await plain(SITE!);
    base = address(server);
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  const visit = async (url: string): Promise<{ page: Page; complaints: string[] }> => {
    const context = await browser.newContext({ viewport: { width: 900, height: 520 } });
    const page = await context.newPage();
    const complaints = listen(page);
    await page.goto(url);
    await page.waitForFunction(
      () => window.__viewer?.ready === true && window.__viewer.frame.time > 0.1,
    );
    return { page, complaints };
  };
  const bodies = (page: Page) => page.evaluate(() => window.__viewer.scene.bodies.length);

  test('the gallery leads to scenes that run, with meshes and parts that they name', async () => {
    const context = await browser.newContext();
    const gallery = await context.newPage();
    const heard = listen(gallery);
    await gallery.goto(base);
    expect(await gallery.locator('li').count()).toBeGreaterThan(100);
    const links = await gallery
      .locator('li a')
      .evaluateAll((all) => all.map((a) => (a as HTMLAnchorElement).href));
    expect(heard).toEqual([]);
    await context.close();
    for (const name of ['shapes/meshes', 'composition/spider', 'scripts/bang-bang']) {
      const { page, complaints } = await visit(
        links.find((l) => l.includes(`${name}.toml`))! + '&plain',
      );
      expect(await bodies(page)).toBeGreaterThan(0);
      expect(complaints).toEqual([]);
      await page.context().close();
    }
  });

  test('a world is edited, undone and shared by a link', async () => {
    const { page, complaints } = await visit(`${base}view.html?plain&scene=features/four-bar.toml`);
    const before = await bodies(page);
    await page.click('#pane-add');
    await page.click('[data-create="sphere"]');
    await page.waitForFunction((n) => window.__viewer.scene.bodies.length === n + 1, before);
    await page.click('#undo');
    await page.waitForFunction((n) => window.__viewer.scene.bodies.length === n, before);
    await page.click('#redo');
    await page.waitForFunction((n) => window.__viewer.scene.bodies.length === n + 1, before);
    await page.click('#share');
    await page.waitForFunction(() => location.hash.startsWith('#scene='));
    const link = page.url();
    expect(complaints).toEqual([]);
    await page.context().close();

    // whoever gets the link sees the same world
    const other = await visit(link);
    expect(await bodies(other.page)).toBe(before + 1);
    expect(other.complaints).toEqual([]);
    await other.page.context().close();
  });

  test('a dropped robot runs, and a dropped wrong scene is refused with its line', async () => {
    const { page, complaints } = await visit(`${base}view.html?plain&scene=pendulum.toml`);
    const drop = (files: [string, string][]) =>
      page.evaluate((list) => {
        const data = new DataTransfer();
        for (const [name, text] of list) data.items.add(new File([text], name));
        window.dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }));
      }, files);
    const robot = readFileSync(join(ROOT, 'scenes/robots/arm.xml'), 'utf8');
    await drop([['arm.xml', robot]]);
    await page.waitForFunction(
      () => window.__viewer.scene && window.__viewer.scene.bodies.length > 1,
    );
    await drop([['bad.toml', '[[body]]\nname = "a"\nshape = { ball = 1 }\n']]);
    await page.waitForSelector('.toast.error');
    expect(await page.locator('.toast.error').first().textContent()).toContain('bad.toml:3:');
    expect(await bodies(page)).toBeGreaterThan(1);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a dropped archive runs with the meshes in it, and a damaged one is refused', async () => {
    const { page, complaints } = await visit(`${base}view.html?plain&scene=pendulum.toml`);
    const mesh = readFileSync(join(ROOT, 'scenes/shapes/parts/bracket.obj'));
    const scene = '[[body]]\nname = "a"\nshape = { mesh = "parts/t.obj" }\ndensity = 1\n';
    const archive = zip([
      ['model/scene.toml', Buffer.from(scene)],
      ['model/parts/t.obj', mesh],
    ]);
    const drop = (bytes: Buffer) =>
      page.evaluate(
        (list) => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array(list)], 'model.zip'));
          window.dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }));
        },
        [...bytes],
      );
    await drop(archive);
    await page.waitForFunction(() => window.__viewer.scene?.bodies[0]?.name === 'a');
    // a byte of the packed mesh
    const bad = Buffer.from(archive);
    bad[archive.indexOf('model/parts/t.obj') + 40]! ^= 0xff;
    await drop(bad);
    await page.waitForSelector('.toast.error');
    expect(await page.locator('.toast.error').first().textContent()).toMatch(/t\.obj|archive|zip/);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('after the first visit the site runs without a network, other scenes included', async () => {
    const other = await plain(SITE!);
    const there = address(other);
    const { page } = await visit(`${there}view.html?plain&scene=pendulum.toml`);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    other.closeAllConnections();
    await new Promise((done) => other.close(done));
    for (const name of ['contact/wall.toml', 'composition/spider.toml']) {
      await page.goto(`${there}view.html?plain&scene=${name}`);
      await page.waitForFunction(
        () => window.__viewer?.ready === true && window.__viewer.frame.time > 0.02,
      );
      expect(await bodies(page)).toBeGreaterThan(1);
    }
    await page.goto(there);
    expect(await page.locator('li').count()).toBeGreaterThan(100);
    await page.context().close();
  });

  test('fingers: one turns the view, two go nearer, one on a body takes it', async () => {
    const context = await browser.newContext({
      viewport: { width: 500, height: 700 },
      hasTouch: true,
    });
    const page = await context.newPage();
    const complaints = listen(page);
    await page.goto(`${base}view.html?plain&bare&scene=features/workbench.toml`);
    await page.waitForFunction(
      () => window.__viewer?.ready === true && window.__viewer.frame.time > 0.1,
    );
    const fingers = await context.newCDPSession(page);
    const touch = async (type: string, ...points: [number, number][]) => {
      const touchPoints = points.map(([x, y], id) => ({ x, y, id }));
      await fingers.send('Input.dispatchTouchEvent', { type: type as 'touchStart', touchPoints });
      await drawn(page);
    };
    const spot = () => page.evaluate(() => window.__viewer.screenAt(0, 0, 0.8));
    const eye = () => page.evaluate(() => window.__viewer.eye);

    const [spot0, eye0] = [await spot(), await eye()];
    await touch('touchStart', [40, 60]);
    for (let k = 1; k < 6; k++) await touch('touchMove', [40 + 20 * k, 60 + 4 * k]);
    await touch('touchEnd');
    await still(page);
    const corner = await page.evaluate(() => window.__viewer.screenAt(0.7, 0.35, 0.8));
    expect(Math.abs((await eye()) - eye0)).toBeLessThan(0.02 * eye0);
    expect(Math.hypot((await spot()).x - spot0.x, corner.y)).toBeGreaterThan(1);

    await touch('touchStart', [40, 60], [80, 60]);
    for (let k = 1; k < 6; k++) await touch('touchMove', [40, 60], [80 + 15 * k, 60]);
    await touch('touchEnd');
    await still(page);
    expect(await eye()).toBeLessThan(0.8 * eye0);

    // a second finger that comes and goes neither moves nor ends the hold of the first
    const brick = await page.evaluate(() => window.__viewer.screen('brick 1'));
    await touch('touchStart', [brick.x, brick.y]);
    await page.waitForFunction(() => window.__viewer.frame.hands?.length === 8);
    await touch('touchMove', [brick.x, brick.y - 60]);
    await touch('touchStart', [brick.x, brick.y - 60], [450, 650]);
    // whoever is not named any more has left: an end is that of all
    await touch('touchMove', [brick.x, brick.y - 60]);
    expect(await page.evaluate(() => window.__viewer.frame.hands?.length)).toBe(8);
    await page.waitForFunction(() => window.__viewer.position('brick 1')[2] > 0.87);
    await touch('touchEnd');
    await page.waitForFunction(() => !window.__viewer.frame.hands);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('one file runs from disk, with a mesh that the scene names', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'kreisel-page-')), 'meshes.html');
    execFileSync(PROGRAM, ['export', 'scenes/shapes/meshes.toml', file], { cwd: ROOT });
    const { page, complaints } = await visit(`file://${file}?plain`);
    expect(await bodies(page)).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
