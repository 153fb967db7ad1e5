// Scene files: open and merge those beside the scene or from this machine, save the world as it
// stands.

import { h } from '../dom';
import type { State } from '../state';

/**
 * Largest file that fits into one message to the server, in bytes; the rest of the message is
 * small.
 */
const LARGEST = 250_000;

/** What a session counts the scene that it began with as. */
const FIRST = 1;

function dialog(title: string): HTMLDialogElement {
  const d = h('dialog', { className: 'help', 'aria-label': title }, h('h2', {}, title));
  d.addEventListener('close', () => d.remove());
  document.body.append(d);
  return d;
}

const button = (label: string, id: string, onclick: () => void) =>
  h('button', { className: 'chip', type: 'button', id, onclick }, label);

/** Names by where they lie: beside the scene, in a folder of the gallery, viewed before. */
export function grouped(names: string[]): [string, string[]][] {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const absolute = /^(\/|[A-Za-z]:)/.test(name);
    const folder = name.slice(0, Math.max(0, name.lastIndexOf('/')));
    const title = absolute ? 'Viewed before' : folder || 'Beside this one';
    groups.set(title, [...(groups.get(title) ?? []), name]);
  }
  // what was viewed before is what is wanted most often
  return [...groups].sort(
    (a, b) => Number(b[0] === 'Viewed before') - Number(a[0] === 'Viewed before'),
  );
}

/** Chooses among scenes beside the present one, or a file of this machine; at the start also none. */
export function openScene(
  state: State,
  names: string[],
  say: (text: string, level?: string) => void,
  start = false,
): void {
  const d = dialog(start ? 'Kreisel' : 'Open a scene');
  const open = (name: string, merge: boolean) => {
    state.connection.request({ ask: 'open', name, merge });
    if (start) state.connection.control({ do: 'run' });
    d.close();
  };
  // somebody else, or this page before it was loaded anew, may have opened a scene already
  const untouched = (state.scene?.load ?? FIRST) === FIRST;
  const shown = (name: string) =>
    name.startsWith('/')
      ? name
      : name.slice(name.lastIndexOf('/') + 1).replace(/\.(toml|json)$/, '');
  const sought = h('input', {
    type: 'search',
    id: 'seek-scene',
    placeholder: 'search',
    'aria-label': 'Search the scenes',
    oninput: () => {
      const words = sought.value.toLowerCase();
      for (const choice of d.querySelectorAll<HTMLElement>('.choice[data-name]'))
        choice.hidden = !choice.dataset.name!.toLowerCase().includes(words);
    },
  });
  const merge = h('input', { type: 'checkbox', id: 'merge-file' });
  const file = h('input', {
    type: 'file',
    // an engine in the page takes a model with its meshes, and archives
    accept: state.take ? '' : '.toml,.json,.urdf,.xml,.mjcf',
    multiple: state.take !== null,
    id: 'local-file',
    'aria-label': 'Scene file of this machine',
    onchange: async () => {
      const chosen = file.files?.[0];
      if (!chosen) return;
      if (state.take && !merge.checked) {
        void state.take(file.files!);
        return d.close();
      }
      if (chosen.size > LARGEST) {
        say(
          `${chosen.name} is too large to be sent (${LARGEST} bytes at most): ` +
            `put it beside the scene on the host's machine`,
          'error',
        );
        return;
      }
      state.connection.command({
        do: 'load',
        name: chosen.name,
        text: await chosen.text(),
        merge: merge.checked,
      });
      d.close();
    },
  });
  d.append(
    ...(start
      ? [
          h(
            'div',
            { className: 'choice' },
            button(untouched ? 'New scene' : 'Go on', 'new-scene', () => d.close()),
            h(
              'small',
              {},
              untouched
                ? 'a first world to change; save… keeps it'
                : `with “${state.scene?.title ?? ''}”, which is here already`,
            ),
          ),
        ]
      : []),
    ...(names.length > 20 ? [sought] : []),
    ...grouped(names).flatMap(([title, list]) => [
      h('h3', {}, title),
      h(
        'div',
        { className: 'choices' },
        ...list.map((n) =>
          h(
            'div',
            { className: 'choice', 'data-name': n },
            h('span', {}, shown(n)),
            h(
              'button',
              { className: 'chip', type: 'button', onclick: () => open(n, false) },
              'open',
            ),
            h(
              'button',
              { className: 'chip', type: 'button', onclick: () => open(n, true) },
              'merge',
            ),
          ),
        ),
      ),
    ]),
    h('h3', {}, 'From this machine'),
    h(
      'div',
      { className: 'choice' },
      file,
      h('label', { className: 'check' }, merge, 'merge into the world'),
    ),
    h(
      'button',
      { className: 'primary', type: 'button', onclick: () => d.close() },
      start ? 'Close' : 'Cancel',
    ),
  );
  d.showModal();
}

/** Saves the world as it stands: as a download, or (the host) beside the scene. */
export function saveScene(state: State): void {
  const d = dialog('Save the world as a scene');
  const host = state.clients.some((c) => c.id === state.me && c.role === 'host');
  const stem =
    (state.scene?.title ?? 'scene')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 60) || 'scene';
  const name = h('input', {
    type: 'text',
    value: `${stem}-saved.toml`,
    'aria-label': 'Name of the file',
    id: 'save-name',
    maxLength: 100,
  });
  const ask = (to: string | null) => {
    state.connection.request({ ask: 'save', name: to });
    d.close();
  };
  d.append(
    h(
      'p',
      {},
      'All bodies, joints and so on with their present state, in one self-contained TOML file.',
    ),
    h(
      'div',
      { className: 'choice' },
      button('Download', 'save-download', () => ask(null)),
    ),
    ...(host
      ? [
          h('h3', {}, 'Beside the scene'),
          h(
            'div',
            { className: 'choice' },
            name,
            button('Save', 'save-beside', () => ask(name.value.trim())),
          ),
        ]
      : [h('p', {}, h('small', {}, 'The host can save it beside the scene, too.'))]),
    h('button', { className: 'primary', type: 'button', onclick: () => d.close() }, 'Cancel'),
  );
  d.showModal();
}
