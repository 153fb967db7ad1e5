// Puts the page together.

import * as THREE from 'three';
import type { ServerMessage } from './bindings';
import { Connection } from './connection';
import { download, h, icon, iconButton, short } from './dom';
import { State } from './state';
import { TOOLS, type Tool, Tools } from './tools';
import { create } from './ui/create';
import { openScene, saveScene } from './ui/files';
import { help } from './ui/help';
import { panel } from './ui/panel';
import { people } from './ui/people';
import { Plots } from './ui/plots';
import { TimeBar } from './ui/time';
import { tree } from './ui/tree';
import { Bodies } from './view/bodies';
import { LAYERS, type Layer, Overlays } from './view/overlays';
import { Stage } from './view/stage';

const query = new URLSearchParams(location.search);
const plain = query.has('plain'); // tests: no antialiasing, no shadows

const state = new State();
const canvas = h('canvas', { className: 'view', 'aria-label': 'The world', tabIndex: 0 });
const labels = h('div', { className: 'labels', 'aria-hidden': 'true' });
const toast = h('div', { className: 'toasts', role: 'status', 'aria-live': 'polite' });
const center = h('main', { className: 'stage' }, canvas, labels, toast);

function say(text: string, level = 'info'): void {
  const e = h('p', { className: `toast ${level}` }, text);
  toast.append(e);
  while (toast.children.length > 4) toast.firstChild?.remove();
  setTimeout(() => e.remove(), level === 'error' ? 12_000 : 5000);
}

// ---- the picture --------------------------------------------------------------------------------------------------------

document.querySelector('#app')!.append(center);
const stage = new Stage(canvas, { antialias: !plain, shadows: !plain });
const bodies = new Bodies();
stage.world.add(bodies.group);
const overlays = new Overlays(bodies, labels);
stage.world.add(overlays.group);
const tools = new Tools(state, stage, bodies, overlays);
const plots = new Plots(state);
const time = new TimeBar(state);
let framed = -1;
let shownRevision = -1;
let pictures = 0;

const frameAll = (own: boolean) => stage.frame(bodies.reach(), own ? (state.scene?.camera ?? null) : null);

function rebuild(): void {
  const scene = state.scene;
  const frame = state.frame;
  if (!scene || !frame || frame.scene !== scene.revision || shownRevision === scene.revision) return;
  shownRevision = scene.revision;
  bodies.build(scene, bodies.size, !plain);
  bodies.move(frame);
  if (framed !== scene.load) {
    // Mass points are drawn as large as the scene asks, which is known only now.
    framed = scene.load;
    stage.fit(bodies.bounds());
    bodies.build(scene, stage.sceneSize, !plain);
    bodies.move(frame);
    frameAll(true);
    document.title = `${scene.title} · Kreisel`;
  }
  overlays.build(scene);
  paint();
  state.selected = state.selected.filter((n) => [...scene.bodies, ...scene.joints, ...scene.springs, ...scene.motors, ...scene.elements, ...scene.fields].some((o) => o.name === n));
  state.tell('scene');
}

function paint(): void {
  const chosen = new Set(state.selected);
  bodies.paint(chosen);
  overlays.paint(chosen);
}
state.on('selection', paint);

// ---- the socket ---------------------------------------------------------------------------------------------------------

const status = h('span', { className: 'status' }, 'connecting');

function receive(m: ServerMessage): void {
  switch (m.type) {
    case 'welcome':
      state.me = m.id;
      state.subscribe();
      break;
    case 'scene':
      state.scene = m.scene;
      title.textContent = m.scene.title;
      title.title = m.scene.description;
      state.inspect();
      break;
    case 'clients':
      state.clients = overlays.clients = m.clients;
      state.tell('clients');
      break;
    case 'columns':
      plots.setColumns(m.revision, m.columns);
      break;
    case 'properties':
      if (m.inspection.object === (state.selected.at(-1) ?? 'world')) {
        state.inspection = m.inspection;
        state.tell('properties');
      }
      break;
    case 'event':
      say(`${m.time.toFixed(2)} s: ${m.text}`);
      break;
    case 'notice':
      say(m.text, m.level);
      break;
    case 'file':
      download(m.name, m.text);
      break;
    case 'scenes':
      openScene(state, m.names, say);
      break;
    case 'ended':
      say(`${m.text}. Restart to go on.${m.journal ? ` Journal: ${m.journal}` : ''}`, 'error');
      break;
  }
}

let storedName = '';
try {
  storedName = localStorage.getItem('kreisel-name') ?? '';
} catch {
  // Private windows may refuse; a name is then given by the server.
}
state.connection = new Connection(
  query.get('name') ?? storedName,
  receive,
  (frame) => plots.frame(frame),
  (open, why) => {
    status.textContent = open ? 'live' : why || 'connection lost, trying again';
    status.className = open ? 'status live' : 'status';
    if (!open && why) say(why, 'error');
  },
);

// ---- the page -----------------------------------------------------------------------------------------------------------

const title = h('h1', {}, 'Kreisel');
const stat = (label: string, id: string) => {
  const value = h('b', { id }, '–');
  return { value, element: h('span', { className: 'stat', title: label }, h('small', {}, label), value) };
};
const factor = stat('real time', 'factor');
const worst = stat('worst joint', 'worst');
const fps = stat('pictures/s', 'fps');

let theme: 'dark' | 'light' = matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
const setTheme = (t: 'dark' | 'light') => {
  theme = t;
  document.documentElement.dataset.theme = t;
  stage.setTheme(t);
  bodies.setTheme(t);
};
setTheme(query.get('theme') === 'light' ? 'light' : query.get('theme') === 'dark' ? 'dark' : theme);

const dialog = help();
const screenshot = () => {
  stage.render();
  canvas.toBlob((blob) => blob && download(`${state.scene?.title ?? 'kreisel'}.png`, blob));
};
let recorder: MediaRecorder | null = null;
const recordButton = iconButton('record', 'Record a video', () => {
  if (recorder) {
    recorder.stop();
    return;
  }
  const chunks: Blob[] = [];
  recorder = new MediaRecorder(canvas.captureStream(30));
  recorder.ondataavailable = (e) => chunks.push(e.data);
  recorder.onstop = () => {
    download('kreisel.webm', new Blob(chunks, { type: 'video/webm' }));
    recorder = null;
    recordButton.classList.remove('on');
  };
  recorder.start();
  recordButton.classList.add('on');
  say('Recording; press the button again to stop');
}, 'record');

const layerBoxes = new Map<Layer, HTMLInputElement>();
const setLayer = (layer: Layer, on: boolean) => {
  overlays.on[layer] = on;
  layerBoxes.get(layer)!.checked = on;
  state.layers = { ...state.layers, velocities: overlays.on.velocities, reactions: overlays.on.reactions, contacts: overlays.on.contacts };
  state.subscribe();
};
const layerPane = h(
  'div',
  { className: 'pane' },
  h('h3', {}, 'Show'),
  ...(Object.keys(LAYERS) as Layer[]).map((layer) => {
    const input = h('input', { type: 'checkbox', checked: overlays.on[layer], id: `layer-${layer}`, onchange: () => setLayer(layer, input.checked) });
    layerBoxes.set(layer, input);
    return h('label', { className: 'check' }, input, LAYERS[layer]);
  }),
  h('h3', {}, 'Hand'),
  h('label', { className: 'property' }, h('span', {}, 'strength'),
    h('input', { type: 'range', min: '-1', max: '2', step: '0.1', value: '0', 'aria-label': 'Strength of the hand', oninput: (e: Event) => (state.strength = 10 ** Number((e.target as HTMLInputElement).value)) })),
  people(state),
  h('h3', {}, 'Session'),
  h('div', { className: 'chips' },
    h('button', { className: 'chip', type: 'button', id: 'open-scene', onclick: () => state.connection.request({ ask: 'scenes' }) }, 'open…'),
    h('button', { className: 'chip', type: 'button', id: 'save-scene', onclick: () => saveScene(state) }, 'save…'),
    h('button', { className: 'chip', type: 'button', onclick: () => state.connection.request({ ask: 'journal' }) }, 'journal'),
    h('button', { className: 'chip', type: 'button', onclick: () => state.connection.command({ do: 'scatter', objects: state.bodies(), distance: 0.01 * stage.sceneSize, turn: false, seed: Math.floor(Math.random() * 1e6) }) }, 'nudge at random')),
);

const target = (): [number, number, number] => {
  const t = stage.world.worldToLocal(stage.controls.target.clone());
  return [t.x, t.y, t.z];
};
const centerOf = (name: string): [number, number, number] => {
  const k = state.scene?.bodies.findIndex((b) => b.name === name) ?? -1;
  const p = k < 0 ? new THREE.Vector3() : bodies.point(k, state.scene!.bodies[k]!.center);
  return [p.x, p.y, p.z];
};

const toolButtons = new Map<Tool, HTMLButtonElement>();
const setTool = (tool: Tool) => {
  state.tool = tool;
  for (const [name, button] of toolButtons) button.setAttribute('aria-pressed', String(name === tool));
  state.tell('tool');
};
const toolBar = h('nav', { className: 'tools', 'aria-label': 'Tools' });
for (const [name, t] of Object.entries(TOOLS)) {
  const button = iconButton(t.icon, `${t.label}: ${t.hint}`, () => setTool(name as Tool), `tool-${name}`);
  toolButtons.set(name as Tool, button);
  toolBar.append(button);
}

const remove = () => state.selected.length && state.connection.command({ do: 'remove', objects: state.selected });
let clipboard: string[] = [];
const copy = () => {
  clipboard = state.bodies();
  say(clipboard.length ? `Copied ${clipboard.length === 1 ? clipboard[0] : `${clipboard.length} bodies`}` : 'Select bodies to copy');
};
const paste = () => clipboard.length && state.connection.command({ do: 'copy', objects: clipboard, offset: [0.15 * stage.sceneSize, 0, 0] });

// Panes at the right, one at a time; on a phone they come from below.
const panes: [string, string, HTMLElement][] = [
  ['list', 'Objects', h('div', {}, tree(state), panel(state, (path) => { plots.add(path); showPane(3); }))],
  ['layers', 'Show and session', layerPane],
  ['add', 'Create', create(state, target, () => stage.sceneSize, centerOf, say)],
  ['plot', 'Plots', plots.element],
];
const side = h('aside', { className: 'side', 'aria-label': 'Panels' });
const tabs = h('div', { className: 'tabs', role: 'tablist' });
const shown = h('div', { className: 'shown', role: 'tabpanel' });
side.append(tabs, shown);
let pane = -1;
function showPane(k: number): void {
  pane = pane === k && matchMedia('(max-width: 720px)').matches ? -1 : k;
  side.classList.toggle('closed', pane < 0);
  [...tabs.children].forEach((t, i) => t.setAttribute('aria-selected', String(i === pane)));
  shown.replaceChildren(...(pane >= 0 ? [panes[pane]![2]] : []));
  state.layers = { ...state.layers, errors: pane === 3 };
  state.subscribe();
}
panes.forEach(([name, label], k) => tabs.append(h('button', { className: 'tab', type: 'button', role: 'tab', title: label, 'aria-label': label, id: `pane-${name}`, onclick: () => showPane(k) }, icon(name) as unknown as Node, h('span', {}, label))));

const header = h(
  'header',
  { className: 'bar top' },
  title, status, h('span', { className: 'gap' }), factor.element, worst.element, fps.element,
  iconButton('trash', 'Remove the selection (Delete)', remove, 'remove'),
  iconButton('save', 'Save the world (Ctrl S)', () => saveScene(state), 'save'),
  iconButton('copy', 'Duplicate the selected bodies', () => { copy(); paste(); }, 'duplicate'),
  iconButton('frame', 'Show everything (A)', () => frameAll(false), 'frame-all'),
  iconButton('camera', 'Picture', screenshot, 'picture'),
  recordButton,
  iconButton('theme', 'Light or dark (L)', () => setTheme(theme === 'dark' ? 'light' : 'dark'), 'theme'),
  iconButton('help', 'Help (?)', () => dialog.showModal(), 'help'),
);
center.append(toolBar);
document.querySelector('#app')!.prepend(header);
document.querySelector('#app')!.append(side, time.element);
document.body.append(dialog);
setTool('grab');
showPane(matchMedia('(max-width: 720px)').matches ? -1 : 0);

addEventListener('keydown', (e) => {
  const typing = e.target instanceof HTMLInputElement && e.target.type !== 'range' && e.target.type !== 'checkbox';
  if (typing || e.target instanceof HTMLSelectElement || document.querySelector('dialog[open]')) return;
  const key = e.key.toLowerCase();
  const command = e.ctrlKey || e.metaKey;
  if (command && key === 'z' && !e.shiftKey) state.connection.command({ do: 'undo' });
  else if (command && (key === 'y' || (key === 'z' && e.shiftKey))) state.connection.command({ do: 'redo' });
  else if (command && key === 'c') copy();
  else if (command && key === 'v') paste();
  else if (command && key === 's') saveScene(state);
  else if (command || e.altKey) return;
  else if (key === ' ') time.toggle();
  else if (key === '.') state.connection.control({ do: 'step', count: 1 });
  else if (key === 'home') state.connection.command({ do: 'restart' });
  else if (key === 'a') frameAll(false);
  else if (key === 'delete' || key === 'backspace') remove();
  else if (key === 'l') setTheme(theme === 'dark' ? 'light' : 'dark');
  else if (key === 'j') setLayer('joints', !overlays.on.joints);
  else if (key === 'x') setLayer('axes', !overlays.on.axes);
  else if (key === 'b') setLayer('boxes', !overlays.on.boxes);
  else if (key === 'escape') state.select([]);
  else if (key === '?') dialog.showModal();
  else {
    const tool = (Object.keys(TOOLS) as Tool[]).find((t) => TOOLS[t].key === key);
    if (!tool) return;
    setTool(tool);
  }
  e.preventDefault();
});

// Live values in the property panel.
setInterval(() => state.connection.open && pane === 0 && !document.hidden && state.inspect(), 500);

// ---- the loop -----------------------------------------------------------------------------------------------------------

let [lastCount, lastTime] = [0, performance.now()];
stage.renderer.setAnimationLoop(() => {
  const frame = state.connection.frame;
  if (frame && state.scene && frame.scene === state.scene.revision) {
    state.frame = frame;
    rebuild();
    bodies.move(frame);
    overlays.update(frame, new Set(state.selected), (p) => stage.screen(p));
    time.frame(frame);
    state.tell('frame');
  }
  tools.update();
  stage.render();
  pictures++;
  const now = performance.now();
  if (now - lastTime > 500) {
    fps.value.textContent = String(Math.round(((pictures - lastCount) * 1000) / (now - lastTime)));
    [lastCount, lastTime] = [pictures, now];
    if (state.frame) {
      const f = state.frame;
      factor.value.textContent = f.running ? `${short(f.factor, 2)}×` : 'paused';
      const name = state.scene?.joints[f.worstJoint]?.name;
      worst.value.textContent = name ? `${name} ${short(Math.max(...f.worst), 2)}` : 'none';
      worst.value.classList.toggle('bad', !f.converged);
    }
  }
});

// What tests look at.
Object.assign(window, {
  __viewer: {
    get ready() { return shownRevision >= 0; },
    get pictures() { return pictures; },
    get frame() { return state.frame; },
    get scene() { return state.scene; },
    get selected() { return state.selected; },
    get clients() { return state.clients; },
    get calls() { return stage.renderer.info.render.calls; },
    plots: () => plots.summary(),
    position: (name: string) => centerOf(name),
    screen: (name: string) => stage.screen(new THREE.Vector3(...centerOf(name))),
    screenAt: (x: number, y: number, z: number) => stage.screen(new THREE.Vector3(x, y, z)),
    look: (eye: [number, number, number], at: [number, number, number]) => stage.frame(bodies.bounds(), [eye, at]),
    pane: (k: number) => showPane(k),
  },
});
