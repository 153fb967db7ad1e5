// What is shown, the hand, who is here, and the session's files.

import { h } from '../dom';
import type { State } from '../state';
import { LAYERS, type Layer, type Overlays } from '../view/overlays';
import { saveScene } from './files';
import { people } from './people';

export interface Layers {
  element: HTMLElement;
  set(layer: Layer, on: boolean): void;
}

export function layers(state: State, overlays: Overlays, size: () => number): Layers {
  const boxes = new Map<Layer, HTMLInputElement>();
  const set = (layer: Layer, on: boolean) => {
    overlays.on[layer] = on;
    boxes.get(layer)!.checked = on;
    state.layers = {
      ...state.layers,
      velocities: overlays.on.velocities,
      reactions: overlays.on.reactions,
      contacts: overlays.on.contacts,
    };
    state.subscribe();
  };
  const chip = (label: string, onclick: () => void, id?: string) =>
    h('button', { className: 'chip', type: 'button', id, onclick }, label);
  const scatter = (turn: boolean) =>
    state.connection.command({
      do: 'scatter',
      objects: state.bodies(),
      distance: turn ? 0 : 0.01 * size(),
      turn,
      seed: Math.floor(Math.random() * 1e6),
    });
  const element = h(
    'div',
    { className: 'pane' },
    h('h3', {}, 'Show'),
    h(
      'div',
      { className: 'checks' },
      ...(Object.keys(LAYERS) as Layer[]).map((layer) => {
        const input = h('input', {
          type: 'checkbox',
          checked: overlays.on[layer],
          id: `layer-${layer}`,
          onchange: () => set(layer, input.checked),
        });
        boxes.set(layer, input);
        return h('label', { className: 'check' }, input, LAYERS[layer]);
      }),
    ),
    h('h3', {}, 'Hand'),
    h(
      'label',
      { className: 'property' },
      h('span', {}, 'strength'),
      h('input', {
        type: 'range',
        min: '-1',
        max: '2',
        step: '0.1',
        value: '0',
        'aria-label': 'Strength of the hand',
        oninput: (e: Event) =>
          (state.strength = 10 ** Number((e.target as HTMLInputElement).value)),
      }),
    ),
    people(state),
    h('h3', {}, 'Session'),
    h(
      'div',
      { className: 'chips' },
      chip('open…', () => state.connection.request({ ask: 'scenes' }), 'open-scene'),
      chip('save…', () => saveScene(state), 'save-scene'),
      chip('journal', () => state.connection.request({ ask: 'journal' }), 'journal'),
    ),
    h('h3', {}, 'At random'),
    h(
      'div',
      { className: 'chips' },
      chip('nudge', () => scatter(false), 'nudge'),
      chip('turn', () => scatter(true), 'turn-at-random'),
    ),
    h('p', { className: 'note' }, 'The selected bodies, or all of them.'),
  );
  return { element, set };
}
