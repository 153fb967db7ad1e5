// Runs scenes natively and by the WASM module, and compares the hashes of their last states:
// node same-bits.mjs PROGRAM PACKAGE STEPS SCENE…  (cargo xtask same-bits calls it).

import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [program, folder, steps, ...scenes] = process.argv.slice(2);
/** The small engine, and the whole one for scenes that need it. */
const [small, whole] = await Promise.all(['.', 'full'].map(load));

async function load(build) {
  const module = await import(pathToFileURL(resolve(folder, build, 'kreisel.js')).href);
  module.initSync({ module: readFileSync(join(folder, build, 'kreisel_bg.wasm')) });
  return module;
}

/** The files of a scene's folder and of those below. */
function files(scene, module) {
  const root = dirname(scene);
  const set = new module.Files();
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    if (entry.isFile()) set.insert(relative(root, path), readFileSync(path));
  }
  return set;
}

/** The scene in the small engine if it can run it. */
function open(scene) {
  const engine = (module) =>
    new module.Engine(relative(dirname(scene), scene), files(scene, module), false);
  try {
    return { engine: engine(small), build: 'small' };
  } catch (error) {
    if (!small.lacks(error.message)) throw error;
    return { engine: engine(whole), build: 'whole' };
  }
}

let wrong = 0;
for (const scene of scenes) {
  const begin = performance.now();
  const { engine, build } = open(scene);

  // natively: the time of that many steps; rounding may make it one more or less, which is told
  const until = String(Number(steps) * engine.stepSize());
  const ran = spawnSync(program, ['run', scene, '--until', until, '--json', '--quiet'], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  let native;
  try {
    native = JSON.parse(ran.stdout);
  } catch {
    console.error(`${scene}: ${program} ended with ${ran.status}: ${ran.stderr}`);
    wrong++;
    continue;
  }

  // here: as many steps
  const middle = performance.now();
  engine.step(native.steps);
  const seconds = [middle - begin, performance.now() - middle].map((ms) => (ms / 1e3).toFixed(1));
  const same = engine.hash() === native.state_hash;
  wrong += same ? 0 : 1;
  const words = same ? 'same' : `DIFFERS: ${engine.hash()} here, ${native.state_hash} natively`;
  console.log(
    `${scene} (${build}): ${native.steps} steps, ${words} (${seconds.join(' s and ')} s)`,
  );
  engine.free();
}
console.log(`${scenes.length - wrong} of ${scenes.length} scenes have the same bits`);
process.exit(wrong ? 1 : 0);
