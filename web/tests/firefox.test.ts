// The engine and the viewer in Firefox, where it is installed: the same bits as in the program, a
// picture that moves, a hand that pulls. Debian's Firefox has no WebGL without a screen: where
// there is none (Xvfb), the viewer says so.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Firefox, hasFirefox, hasScreen } from './firefox';
import { PROGRAM, ROOT, address, plain } from './harness';

const SITE = process.env.KREISEL_SITE;
const SCENES = ['features/four-bar.toml', 'contact/tower.toml'];
const STEPS = 200;

/** Runs a scene of the site in the page; the hash of its last state comes to stand in the window. */
const run = (scene: string) => `(() => {
  window.__hash = window.__failed = undefined;
  (async () => {
    const glue = await (await fetch('engine/kreisel.js')).text();
    const engine = new Function(glue + '; return wasm_bindgen;')();
    await engine({ module_or_path: 'engine/kreisel_bg.wasm' });
    const files = new engine.Files();
    const scene = await (await fetch('scenes/${scene}')).arrayBuffer();
    files.insert('${scene}', new Uint8Array(scene));
    const world = new engine.Engine('${scene}', files, false);
    window.__step = world.stepSize();
    world.step(${STEPS});
    window.__hash = world.hash();
  })().catch((e) => (window.__failed = String(e)));
  return true;
})()`;

describe.skipIf(!SITE || !hasFirefox)('in Firefox', () => {
  test('scenes end in the same bits as in the program, and the viewer draws and is pulled at', async () => {
    const [firefox, site] = [await Firefox.start(), await plain(SITE!)];
    try {
      await firefox.visit(address(site));
      for (const scene of SCENES) {
        await firefox.value(run(scene));
        await firefox.until('window.__hash !== undefined || window.__failed !== undefined');
        expect(await firefox.value('window.__failed ?? null')).toBe(null);
        const until = STEPS * (await firefox.value<number>('window.__step'));
        const path = join('scenes', scene);
        const args = ['run', path, '--until', String(until), '--json', '--quiet'];
        const told = execFileSync(PROGRAM, args, { cwd: ROOT, encoding: 'utf8' });
        const native = JSON.parse(told) as { steps: number; state_hash: string };
        expect(native.steps).toBe(STEPS);
        expect(await firefox.value('window.__hash')).toBe(native.state_hash);
      }
      const page = `${address(site)}view.html?plain&bare&scene=features/workbench.toml`;
      await firefox.visit(page);
      if (!hasScreen) {
        await firefox.until(
          'window.__viewer?.ready || document.body.textContent.includes("WebGL")',
        );
        return;
      }
      await firefox.until('window.__viewer?.ready === true && window.__viewer.pictures > 5', 120);
      expect(await firefox.value<number>('window.__viewer.calls')).toBeGreaterThan(0);
      await firefox.until('window.__viewer.frame.time > 0.1');
      // what was drawn is no empty picture: two colours at least
      const colours = `(() => {
        const canvas = document.querySelector('canvas');
        window.__viewer.render();
        const copy = document.createElement('canvas');
        [copy.width, copy.height] = [64, 64];
        const c = copy.getContext('2d');
        c.drawImage(canvas, 0, 0, 64, 64);
        return new Set(new Uint32Array(c.getImageData(0, 0, 64, 64).data.buffer)).size;
      })()`;
      expect(await firefox.value<number>(colours)).toBeGreaterThan(10);
      // the pointer takes a brick and lifts it
      const brick = await firefox.value<{ x: number; y: number }>(
        'window.__viewer.screen("brick 1")',
      );
      await firefox.pull(brick, [0, -80]);
      await firefox.until('window.__viewer.position("brick 1")[2] > 0.87');
    } finally {
      await firefox.stop();
      site.close();
    }
  }, 400_000);
});
