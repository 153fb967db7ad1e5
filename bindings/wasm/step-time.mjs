// Time per step of the module in Node beside the native program, and beside rapier's module where
// it is installed: node step-time.mjs PROGRAM PACKAGE [RAPIER] (RAPIER is the folder of
// @dimforge/rapier3d-simd-compat). Processor time of the thread that steps, so that other programs of the
// machine count little; the least of several runs, each from the same start.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [program, folder, rapierFolder] = process.argv.slice(2);
const { initSync, Engine, Files } = await import(pathToFileURL(resolve(folder, 'kreisel.js')).href);
initSync({ module: readFileSync(join(folder, 'kreisel_bg.wasm')) });

/** Runs of each scene, of which the fastest counts. */
const RUNS = 4;
const here = new URL('../../', import.meta.url).pathname;
const read = (path) => readFileSync(join(here, 'scenes', path), 'utf8');

/** Cubes of 0.5 m that fall into a bin. */
const HEAP = `
[world]
step = "1/60"
ground = 0
[[body]]
repeat = { k = 4 }
name = "side {k}"
kind = "static"
shape = { box = [7, 0.5, 8] }
position = ["k < 2 ? 0 : k == 2 ? -3.25 : 3.25", "k == 0 ? -3.25 : k == 1 ? 3.25 : 0", 4]
rotation = { z = "k < 2 ? 0 deg : 90 deg" }
[[body]]
repeat = { i = 10, j = 10, k = 10 }
name = "cube {i} {j} {k}"
shape = { box = [0.5, 0.5, 0.5] }
mass = 1
position = ["0.55 * (i - 4.5) + 0.02 * (k % 3)", "0.55 * (j - 4.5) + 0.02 * (k % 2)", "0.3 + 0.55 * k"]`;

const scenes = [
  ['chain100', read('chains/chain.toml').replace('n = 10', 'n = 100'), 300],
  ['net10', read('chains/net.toml'), 60],
  ['pyramid20', read('contact/pyramid.toml').replace('n = 10', 'n = 20'), 240],
  ['heap1000', HEAP, 240],
];

/** Processor time of this thread so far, ms. */
function processor() {
  const text = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8');
  return Number(text.split(' ')[0]) / 1e6;
}

/** The least time of a step over several runs, ms. */
function least(run) {
  let best = Infinity;
  for (let k = 0; k < RUNS; k++) best = Math.min(best, run());
  return best;
}

function own(text, steps) {
  return least(() => {
    const files = new Files();
    files.insert('scene.toml', new TextEncoder().encode(text));
    const engine = new Engine('scene.toml', files, false);
    const begin = processor();
    engine.step(steps);
    const time = (processor() - begin) / steps;
    engine.free();
    return time;
  });
}

function native(text, steps, step) {
  const file = join(mkdtempSync(join(tmpdir(), 'kreisel-time-')), 'scene.toml');
  writeFileSync(file, text);
  const args = ['run', file, '--until', String(steps * step), '--json', '--quiet'];
  return least(() => {
    const ran = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
    const told = JSON.parse(ran.stdout);
    return (told.processor_time * 1e3) / told.steps;
  });
}

/** The same pyramid and heap in rapier, its own settings, nothing sleeps. */
async function rapier(name, steps) {
  const RAPIER = await import(pathToFileURL(resolve(rapierFolder, 'dist/rapier.mjs')).href).catch(
    () => import(pathToFileURL(resolve(rapierFolder, 'dist/rapier.cjs')).href),
  );
  await RAPIER.init?.();
  const make = () => {
    const world = new RAPIER.World({ x: 0, y: 0, z: -9.81 });
    world.timestep = 1 / 60;
    const add = (kind, at, half, turn) => {
      const desc = RAPIER.RigidBodyDesc[kind]()
        .setTranslation(...at)
        .setCanSleep(false);
      if (turn) desc.setRotation({ x: 0, y: 0, z: Math.SQRT1_2, w: Math.SQRT1_2 });
      const body = world.createRigidBody(desc);
      const shape = RAPIER.ColliderDesc.cuboid(...half).setFriction(0.5);
      world.createCollider(kind === 'dynamic' ? shape.setMass(1) : shape, body);
    };
    add('fixed', [0, 0, -1], [50, 50, 1]);
    if (name === 'pyramid20') {
      for (let r = 0; r < 20; r++)
        for (let c = 0; c < 20 - r; c++)
          add('dynamic', [(c - (20 - r - 1) / 2) * 1.05, 0, 0.5 + r], [0.5, 0.5, 0.5]);
      return world;
    }
    for (let k = 0; k < 4; k++) {
      const at = [k < 2 ? 0 : k === 2 ? -3.25 : 3.25, k === 0 ? -3.25 : k === 1 ? 3.25 : 0, 4];
      add('fixed', at, [3.5, 0.25, 4], k >= 2);
    }
    for (let i = 0; i < 10; i++)
      for (let j = 0; j < 10; j++)
        for (let k = 0; k < 10; k++) {
          const x = 0.55 * (i - 4.5) + 0.02 * (k % 3);
          add(
            'dynamic',
            [x, 0.55 * (j - 4.5) + 0.02 * (k % 2), 0.3 + 0.55 * k],
            [0.25, 0.25, 0.25],
          );
        }
    return world;
  };
  return least(() => {
    const world = make();
    const begin = processor();
    for (let k = 0; k < steps; k++) world.step();
    const time = (processor() - begin) / steps;
    world.free();
    return time;
  });
}

console.log('scene        native, ms   page, ms   page / native   rapier, ms   page / rapier');
for (const [name, text, steps] of scenes) {
  const step = /step = ("1 ?\/ ?60"|[0-9.]+)/.exec(text)?.[1] ?? '0.01';
  const h = step.includes('60') ? 1 / 60 : Number(step);
  const [page, machine] = [own(text, steps), native(text, steps, h)];
  const contact = rapierFolder && (name.startsWith('pyramid') || name.startsWith('heap'));
  const other = contact ? await rapier(name, steps) : NaN;
  const cells = [machine, page, page / machine, other, page / other];
  const shown = cells.map((x) => (Number.isFinite(x) ? x.toPrecision(3) : '–').padStart(12));
  console.log(name.padEnd(10), ...shown);
}
