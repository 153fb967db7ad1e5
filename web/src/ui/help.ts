// The help page.

import { h } from '../dom';
import { TOOLS } from '../tools';

const KEYS: [string, string][] = [
  ['Space', 'run or pause'],
  ['.', 'one step'],
  ['Home', 'back to the start'],
  ['A', 'show everything'],
  ['Z', 'go near to what is selected; a double click in the list does it, too'],
  ['1, 2, 3, 4', 'look from the front, from the right, from above, across a corner'],
  ['C', 'the camera goes along with the selected body, or stays again'],
  ...Object.values(TOOLS).map((t): [string, string] => [
    t.key.toUpperCase(),
    `${t.label.replace(/ \(.*/, '')}: ${t.hint.toLowerCase()}`,
  ]),
  ['Delete', 'remove what is selected, with what hangs on it'],
  ['Ctrl C, Ctrl X, Ctrl V', 'copy or cut what is selected with what links it, paste'],
  ['H', 'hide what is selected; with nothing selected, show everything'],
  ['W', 'handles along the axes of the world or of the body'],
  ['Ctrl Z, Ctrl Y', 'undo, redo'],
  ['Ctrl S', 'save the world as a scene'],
  ['J, X, B', 'joints, axes, bounding boxes on or off'],
  ['L', 'light or dark'],
  ['Esc', 'select nothing, close this page'],
  ['?', 'this page'],
];

export function help(): HTMLDialogElement {
  const close = h(
    'button',
    { className: 'primary', type: 'button', onclick: () => dialog.close() },
    'Close',
  );
  const dialog = h(
    'dialog',
    { className: 'help', 'aria-label': 'Help' },
    h('h2', {}, 'Kreisel'),
    h(
      'p',
      {},
      'Drag the background to orbit, with the right button or two fingers to pan, use the wheel ' +
        'to zoom. Drag a body to pull it: its joints always hold.',
    ),
    h(
      'table',
      {},
      ...KEYS.map(([k, v]) =>
        h(
          'tr',
          {},
          h(
            'th',
            { scope: 'row' },
            ...k.split(', ').flatMap((x, i) => [i ? ' ' : '', h('kbd', {}, x)]),
          ),
          h('td', {}, v),
        ),
      ),
    ),
    close,
  );
  return dialog;
}
