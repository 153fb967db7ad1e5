// Engines that nobody holds any more give their memory back without `free()`:
// node --expose-gc memory.mjs PACKAGE (cargo xtask same-bits and test call it).

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Engines that are made and forgotten, and after how many the memory is looked at first. */
const [MANY, FIRST] = [60, 10];

const folder = process.argv[2];
const { initSync, Engine, Files } = await import(pathToFileURL(resolve(folder, 'kreisel.js')).href);
const { memory } = initSync({ module: readFileSync(join(folder, 'kreisel_bg.wasm')) });
const scene = `
[[body]]
repeat = { k = 200 }
name = "b {k}"
shape = { sphere = 0.1 }
position = ["k", 0, 0]`;

/** An engine of some MB that is not freed. */
function forget() {
  const files = new Files();
  files.insert('many.toml', new TextEncoder().encode(scene));
  new Engine('many.toml', files, false).step(20);
}

let first = 0;
for (let k = 0; k < MANY; k++) {
  forget();
  // finalisers run between tasks
  globalThis.gc();
  await new Promise((done) => setTimeout(done, 5));
  if (k === FIRST) first = memory.buffer.byteLength;
}
const last = memory.buffer.byteLength;
const mega = (bytes) => (bytes / 1e6).toFixed(1);
console.log(`memory after ${FIRST} engines ${mega(first)} MB, after ${MANY} ${mega(last)} MB`);
// without finalisers every engine adds its own share: six times as much
process.exit(last <= 1.5 * first ? 0 : 1);
