// Types of all properties, and of the methods that add items, from the stubs of the Python package:
// both have the same names because both come from the tables of the scene format.
// node types.mjs _properties.pyi _builders.py properties.ts

import { readFileSync, writeFileSync } from 'node:fs';

const [stubs, builders, out] = process.argv.slice(2);

/** Types of values that are read, and of those that may be set. */
const READ = {
  Array: 'Float64Array',
  bool: 'boolean',
  float: 'number',
  int: 'number',
  str: 'string',
};
const SET = {
  ArrayLike: 'ArrayLike<number>',
  SupportsFloat: 'number',
  bool: 'boolean',
  int: 'number',
  str: 'string',
};

/** A Python type as TypeScript has it; what has no simple counterpart is left open. */
function type(text, words) {
  const parts = text.split('|').map((p) => p.trim());
  const known = parts.map((p) =>
    p === 'None' ? 'null' : (words[p] ?? (/^\w+$/.test(p) && p !== 'Any' ? p : 'unknown')),
  );
  return known.includes('unknown') ? 'unknown' : [...new Set(known)].join(' | ');
}

/** The text of a documentation string, on one line. */
const doc = (text) => text.trim().replace(/\s+/g, ' ').replaceAll('*/', '* /');

// classes of the stubs: properties with documentation, some of which may be set
const lines = [];
const classes = [];
const text = readFileSync(stubs, 'utf8');
for (const [, name, body] of text.matchAll(/^class (\w+)[^\n]*:\n((?:[ \t]+[^\n]*\n|\n)+)/gm)) {
  classes.push(name);
  lines.push(`export interface ${name} {`);
  const property =
    /@property\n\s+def (\w+)\(self\) -> ([^:]+):(?: \.\.\.\n|\n\s+"""([\s\S]*?)"""\n)(?:\s+@\1\.setter\n\s+def \1\(self, value: ([\s\S]*?)\) -> None: \.\.\.\n)?/g;
  for (const [, key, read, words, set] of body.matchAll(property)) {
    if (words) lines.push(`  /** ${doc(words)} */`);
    const [r, s] = [type(read, READ), set && type(set, SET)];
    if (s && s !== r) lines.push(`  get ${key}(): ${r};`, `  set ${key}(value: ${s});`);
    else
      lines.push(
        `  ${s || classes.includes(read) ? (s ? '' : 'readonly ') : 'readonly '}${key}: ${r};`,
      );
  }
  lines.push('}');
}

// what each kind of item has
const kinds = [
  'body',
  'joint',
  'motor',
  'spring',
  'constraint',
  'controller',
  'field',
  'curve',
  'procedure',
  'sensor',
];
const own = { body: 'BodyProperties', joint: 'JointProperties', motor: 'MotorProperties' };
const capital = (k) => k[0].toUpperCase() + k.slice(1);
// what the classes of the package say of themselves is not said again
const classed = { body: [], joint: ['position'], motor: ['velocity'] };
lines.push('/** Properties by kind of item. */', 'export interface Properties {');
for (const k of kinds) {
  const name = own[k] ?? `${capital(k)}Item`;
  const without = classed[k]?.length
    ? `Omit<${name}, ${classed[k].map((x) => `'${x}'`).join(' | ')}>`
    : name;
  lines.push(`  ${k}: ${classes.includes(name) ? without : 'object'};`);
}
lines.push(`  settings: ${classes.includes('Settings') ? 'Settings' : 'object'};`, '}');

// methods that add items, with their keys
lines.push(
  "import type { Json } from './index.js';",
  '/** Methods that add items, with the keys of the scene format. */',
  'export interface Builders<Body, Joint, Motor, Item> {',
);
const method =
  /def add_(\w+)\(\n\s+self,\n\s+\*,\n([\s\S]*?)\n\s+\) -> (\w+):\n\s+"""([\s\S]*?)"""/g;
for (const [, table, keys, gives, words] of readFileSync(builders, 'utf8').matchAll(method)) {
  const item = ['Body', 'Joint', 'Motor'].includes(gives)
    ? gives
    : gives.endsWith('Item')
      ? 'Item'
      : 'void';
  if (item === 'void') continue;
  lines.push(`  /** ${doc(words.split('\n')[0])} */`, `  add_${table}(keys: {`);
  for (const [, key] of keys.matchAll(/^\s+(\w+): Any = None,$/gm)) {
    const said = new RegExp(
      '``' + key.replace(/_$/, '') + '`` ([\\s\\S]*?)(?=\\n\\s*``\\w+`` \\(|$)',
    ).exec(words);
    if (said) lines.push(`    /** ${doc(said[1])} */`);
    lines.push(`    ${key.replace(/_$/, '')}?: Json;`);
  }
  lines.push(`  }): ${item};`);
}
lines.push('}');
writeFileSync(out, `// Written by types.mjs: do not edit.\n${lines.join('\n')}\n`);
