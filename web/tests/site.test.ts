// Pages without a server of ours: the static site from a subfolder, a shared link, dropped files, and
// one file from disk. They need the engine (`cargo xtask wasm`): KREISEL_SITE is the folder of a site.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROGRAM, ROOT, launch, listen } from './harness';

const SITE = process.env.KREISEL_SITE;
const KINDS: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** A plain web server: files below /some/folder/, no headers but their kind. */
function plain(folder: string): Promise<Server> {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url!, 'http://x').pathname));
    const file = join(folder, path.replace(/^\/some\/folder/, '').replace(/\/$/, '/index.html'));
    if (!path.startsWith('/some/folder/') || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': KINDS[extname(file)] ?? 'text/plain' });
    response.end(readFileSync(file));
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

describe.skipIf(!SITE)('without a server', () => {
  let browser: Browser;
  let server: Server;
  let base: string;
  beforeAll(async () => {
    browser = await launch();
    server = await plain(SITE!);
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/some/folder/`;
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

  test('one file runs from disk, with a mesh that the scene names', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'kreisel-page-')), 'meshes.html');
    execFileSync(PROGRAM, ['export', 'scenes/shapes/meshes.toml', file], { cwd: ROOT });
    const { page, complaints } = await visit(`file://${file}?plain`);
    expect(await bodies(page)).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
