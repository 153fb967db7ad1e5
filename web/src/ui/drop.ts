// Files that are dropped on the page or chosen: a scene, or a model with the folder of its meshes,
// or an archive of these.

import { h } from '../dom';
import { isZip, unzip } from './zip';

type Files = [string, Uint8Array][];

/** Endings of what can be opened by itself. */
const SCENE = /\.(toml|json|urdf|xml|mjcf)$/i;
/** Most files of a drop: a folder of another kind was dropped by mistake. */
const MOST = 2000;

async function walk(entry: FileSystemEntry, path: string, out: Files): Promise<void> {
  if (out.length > MOST) throw new Error(`more than ${MOST} files were dropped`);
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    out.push([path + entry.name, new Uint8Array(await file.arrayBuffer())]);
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (!some.length) return;
    for (const inner of some) await walk(inner, `${path}${entry.name}/`, out);
  }
}

/** The files that can be opened, those nearest to the top first. */
function mains(files: Files): string[] {
  const depth = (name: string) => name.split('/').length;
  const good = files.map(([name]) => name).filter((name) => SCENE.test(name));
  return good.sort((a, b) => depth(a) - depth(b) || a.localeCompare(b));
}

function choose(names: string[], open: (name: string) => void): void {
  const d = h('dialog', { className: 'help', 'aria-label': 'Which one?' });
  d.addEventListener('close', () => d.remove());
  const pick = (name: string) => () => {
    d.close();
    open(name);
  };
  d.append(
    h('h2', {}, 'Which one?'),
    h(
      'div',
      { className: 'choices' },
      ...names.map((name) =>
        h(
          'div',
          { className: 'choice' },
          h('span', {}, name),
          h('button', { className: 'chip', type: 'button', onclick: pick(name) }, 'open'),
        ),
      ),
    ),
    h('button', { className: 'primary', type: 'button', onclick: () => d.close() }, 'Cancel'),
  );
  document.body.append(d);
  d.showModal();
}

/** Archives give way to what is in them. */
async function unpack(files: Files): Promise<Files> {
  const out: Files = [];
  for (const file of files)
    if (/\.zip$/i.test(file[0]) || isZip(file[1])) out.push(...(await unzip(file[1], MOST)));
    else out.push(file);
  return out;
}

/** Opens what is among these files, or asks which. */
async function take(
  given: Files,
  open: (name: string, files: Files) => void,
  say: (text: string, level?: string) => void,
): Promise<void> {
  const files = await unpack(given);
  const names = mains(files);
  if (!names.length) say('A scene is needed: .toml, .json, .urdf, .xml, .mjcf or .zip', 'warning');
  else if (names.length === 1) open(names[0]!, files);
  else choose(names, (name) => open(name, files));
}

/**
 * Calls `open` with the scene that was dropped and all files that came with it. Gives back a
 * function for files that were chosen otherwise.
 */
export function onDrop(
  open: (name: string, files: Files) => void,
  say: (text: string, level?: string) => void,
): (files: Iterable<File>) => Promise<void> {
  addEventListener('dragover', (e) => e.preventDefault());
  addEventListener('drop', (e) => {
    e.preventDefault();
    // entries must be taken before the first wait
    const items = [...(e.dataTransfer?.items ?? [])];
    const entries = items.map((i) => i.webkitGetAsEntry() ?? i.getAsFile());
    const files: Files = [];
    void (async () => {
      try {
        for (const entry of entries)
          if (entry instanceof File)
            files.push([entry.name, new Uint8Array(await entry.arrayBuffer())]);
          else if (entry) await walk(entry, '', files);
        await take(files, open, say);
      } catch (error) {
        say((error as Error).message, 'error');
      }
    })();
  });
  return async (chosen) => {
    try {
      const files: Files = [];
      for (const f of chosen) files.push([f.name, new Uint8Array(await f.arrayBuffer())]);
      await take(files, open, say);
    } catch (error) {
      say((error as Error).message, 'error');
    }
  };
}
