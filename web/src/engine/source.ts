// Where a page without a server has its engine and its scenes from: its own file, or the folder
// that it lies in.

import type { Source, Whole } from './types';

export interface Site {
  /** The script around the module. */
  glue: string;
  /** The module, or its address. */
  wasm: string | ArrayBuffer;
  /** Where the whole engine is; a page that holds everything has what its scene needs. */
  whole: Whole | null;
  /** Address that scenes are fetched from, and the names of all files there. */
  base: string | null;
  names: string[];
  /** The scene to begin with. */
  first: Source;
}

/** The scene that a site begins with where the address names none. */
const FIRST = 'iftomm/a04-bricard.toml';

const bytes = (text: string) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

function piped(
  data: Uint8Array,
  through: CompressionStream | DecompressionStream,
): Promise<ArrayBuffer> {
  const stream = new Blob([data as Uint8Array<ArrayBuffer>]).stream().pipeThrough(through);
  return new Response(stream).arrayBuffer();
}

/** The text of a scene as the fragment of an address. */
export async function toFragment(text: string): Promise<string> {
  const packed = await piped(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
  let out = '';
  for (const byte of new Uint8Array(packed)) out += String.fromCharCode(byte);
  return `#scene=${btoa(out).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

/** The scene in the fragment of an address, if it has one. */
export async function fromFragment(hash: string): Promise<Source | null> {
  if (!hash.startsWith('#scene=')) return null;
  const packed = bytes(hash.slice(7).replaceAll('-', '+').replaceAll('_', '/'));
  const text = new Uint8Array(await piped(packed, new DecompressionStream('deflate-raw')));
  return { name: 'shared.toml', files: [['shared.toml', text]], base: null, names: [] };
}

/** A scene of the site, or one at any other address. */
export async function fetched(site: Pick<Site, 'base' | 'names'>, name: string): Promise<Source> {
  const known = site.base !== null && site.names.includes(name);
  const address = new URL(name, known ? site.base! : location.href);
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${name} cannot be fetched: ${answer.status}`);
  const data = new Uint8Array(await answer.arrayBuffer());
  const own = known ? name : address.pathname.split('/').at(-1)!;
  return known
    ? { name: own, files: [[own, data]], base: site.base, names: site.names }
    : { name: own, files: [[own, data]], base: null, names: [] };
}

/** The site of this page; null when a server stands behind it. */
export async function site(): Promise<Site | null> {
  const shared = await fromFragment(location.hash);

  // everything in one file: the module is packed, the scene and its files stand in a list
  const packed = document.getElementById('kreisel-engine');
  if (packed) {
    const glue = document.getElementById('kreisel-glue')!.textContent!;
    const wasm = await piped(bytes(packed.textContent!.trim()), new DecompressionStream('gzip'));
    const own = JSON.parse(document.getElementById('kreisel-scene')!.textContent!) as {
      name: string;
      files: Record<string, string>;
    };
    const files = Object.entries(own.files).map(([n, b]): [string, Uint8Array] => [n, bytes(b)]);
    const first = shared ?? { name: own.name, files, base: null, names: [] };
    return { glue, wasm, whole: null, base: null, names: [], first };
  }

  // a static site: the page names the folder of the engine
  const folder = document.querySelector<HTMLMetaElement>('meta[name="kreisel-engine"]')?.content;
  if (!folder) return null;
  const at = (path: string) => new URL(path, location.href).href;
  // from the next visit on without a network; where that is not to be had, nothing is lost
  void navigator.serviceWorker?.register(at('offline.js')).catch(() => undefined);
  const base = at('scenes/');
  const get = async (address: string) => {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`${address} cannot be fetched: ${answer.status}`);
    return answer.text();
  };
  const [glue, list] = await Promise.all([
    get(at(`${folder}kreisel.js`)),
    get(`${base}index.json`),
  ]);
  const names = JSON.parse(list) as string[];
  const wanted = new URLSearchParams(location.search).get('scene') ?? FIRST;
  const first = shared ?? (await fetched({ base, names }, wanted.replace(/^scenes\//, '')));
  const engine = (path: string) => at(`${folder}${path}`);
  const whole = { glue: engine('full/kreisel.js'), wasm: engine('full/kreisel_bg.wasm') };
  return { glue, wasm: engine('kreisel_bg.wasm'), whole, base, names, first };
}
