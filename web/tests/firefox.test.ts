// The engine in Firefox, where it is installed: the same bits as in the program. Debian's Firefox
// has no WebGL without a screen, so that the viewer is not drawn here; it says so.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Firefox, hasFirefox } from './firefox';
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
  test('scenes end in the same bits as in the program, and a viewer without WebGL says why', async () => {
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
      await firefox.visit(`${address(site)}view.html?plain&scene=pendulum.toml`);
      await firefox.until('window.__viewer?.ready || document.body.textContent.includes("WebGL")');
    } finally {
      await firefox.stop();
      site.close();
    }
  });
});
