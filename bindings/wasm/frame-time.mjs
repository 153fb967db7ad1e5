// Time of the engine in a headset's picture: for each scene the steps that fall into 11 ms, by the
// module in Node: node frame-time.mjs PACKAGE SCENE… (the scene's folder is given to it whole).

import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A picture at 90 Hz, s, and what the engine may take of it, ms. */
const [PICTURE, MOST] = [1 / 90, 4];
/** Seconds of the scene that are run, and wall time for one scene at most, s. */
const [SECONDS, PATIENCE] = [3, 20];

const [folder, ...scenes] = process.argv.slice(2);
const { initSync, Engine, Files } = await import(
  pathToFileURL(resolve(folder, 'full/kreisel.js')).href
);
initSync({ module: readFileSync(join(folder, 'full/kreisel_bg.wasm')) });

let late = 0;
const rows = [];
for (const scene of scenes) {
  const root = dirname(scene);
  const files = new Files();
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    if (entry.isFile()) files.insert(relative(root, path), readFileSync(path));
  }
  try {
    const engine = new Engine(relative(root, scene), files, false);
    const h = engine.stepSize();
    const each = Math.max(1, Math.round(PICTURE / h));
    const begin = performance.now();
    const times = [];
    while (engine.time() < SECONDS && performance.now() - begin < PATIENCE * 1e3) {
      const start = performance.now();
      engine.step(each);
      // a step longer than a picture is shared by the pictures that it lasts
      times.push((performance.now() - start) * Math.min(1, PICTURE / (each * h)));
    }
    times.sort((a, b) => a - b);
    const at = (share) => times[Math.min(times.length - 1, Math.floor(share * times.length))];
    rows.push([at(0.95), at(0.5), scene]);
    engine.free();
  } catch (error) {
    console.log(`${scene}: ${String(error.message ?? error).split('\n')[0]}`);
  }
}
rows.sort((a, b) => b[0] - a[0]);
console.log('95 % below, median (ms of the engine in a picture of 11 ms)');
for (const [high, middle, scene] of rows) {
  if (high > MOST) late++;
  console.log(
    `${high.toFixed(2).padStart(8)} ${middle.toFixed(2).padStart(8)}  ${scene}${high > MOST ? '  above' : ''}`,
  );
}
console.log(`${rows.length - late} of ${rows.length} scenes within ${MOST} ms`);
