// Puts the page together.

import * as THREE from 'three';
import type { ServerMessage } from './bindings';
import type { Listener } from './connection';
import { download, h, icon, iconButton, remember, remembered, short } from './dom';
import { Local } from './engine/local';
import { site, toFragment } from './engine/source';
import { Socket } from './socket';
import { State } from './state';
import { TOOLS, type Tool, Tools } from './tools';
import { recordButton } from './ui/capture';
import { create } from './ui/create';
import { eventList } from './ui/events';
import { onDrop } from './ui/drop';
import { openScene, saveScene } from './ui/files';
import { help } from './ui/help';
import { layers } from './ui/layers';
import { panel } from './ui/panel';
import { Plots } from './ui/plots';
import { TimeBar } from './ui/time';
import { tree } from './ui/tree';
import { Bodies } from './view/bodies';
import { Overlays } from './view/overlays';
import { Stage } from './view/stage';
import { Reality } from './xr/reality';

const query = new URLSearchParams(location.search);
const plain = query.has('plain'); // tests: no antialiasing, no shadows
// Started without a scene: what there is to open.
let startPage = query.has('start');
// For pictures and pages that show a world within them: nothing but the view.
if (query.has('bare')) document.documentElement.classList.add('bare');

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

// ---- the picture --------------------------------------------------------------------------------

document.querySelector('#app')!.append(center);
/** The picture; a browser that cannot draw it is told so, not left with an empty page. */
function draws(): Stage {
  try {
    return new Stage(canvas, { antialias: !plain, shadows: !plain, room: !plain });
  } catch (error) {
    center.append(h('p', { className: 'toast error' }, `WebGL 2 is needed: ${String(error)}`));
    throw error;
  }
}
const stage = draws();
const bodies = new Bodies();
stage.world.add(bodies.group);
const overlays = new Overlays(bodies, labels);
overlays.hidden = bodies.hidden = state.hidden;
// A picture is asked for once, and given to all surfaces that want it.
const wanting = new Map<string, ((data: string) => void)[]>();
const known = new Map<string, string>();
bodies.pictures = (name, use) => {
  const data = known.get(name);
  if (data !== undefined) return data ? use(data) : undefined;
  const others = wanting.get(name);
  wanting.set(name, [...(others ?? []), use]);
  if (!others) state.connection.request({ ask: 'picture', name });
};
stage.world.add(overlays.group);
const tools = new Tools(state, stage, bodies, overlays);
const plots = new Plots(state);
const time = new TimeBar(state);
const reality = new Reality(state, stage, bodies, say);
let framed = -1;
/** Beyond this the camera does not look after what moves away, m. */
let farthest = 0;
let shownRevision = -1;
let pictures = 0;

const frameAll = (own: boolean) =>
  stage.frame(bodies.reach(), own ? (state.scene?.camera ?? null) : null);

function rebuild(): void {
  const scene = state.scene;
  const frame = state.frame;
  if (!scene || !frame || frame.scene !== scene.revision || shownRevision === scene.revision)
    return;
  shownRevision = scene.revision;
  bodies.build(scene, bodies.size, !plain);
  bodies.move(frame);
  if (framed !== scene.load) {
    // Mass points are drawn as large as the scene asks, which is known only now.
    framed = scene.load;
    stage.fit(bodies.reach());
    bodies.build(scene, stage.sceneSize, !plain);
    bodies.move(frame);
    frameAll(true);
    farthest = Math.max(
      4 * bodies.reach().getSize(new THREE.Vector3()).length(),
      14 * bodies.typical(),
    );
    document.title = `${scene.title} · Kreisel`;
  }
  overlays.build(scene);
  paint();
  const there = new Set(state.names());
  state.selected = state.selected.filter((n) => there.has(n));
  state.tell('scene');
}

function paint(): void {
  const chosen = new Set(state.selected);
  bodies.paint(chosen);
  overlays.paint(chosen);
}
state.on('selection', paint);
state.on('hidden', () => state.frame && bodies.move(state.frame));
state.on('tool', () => (overlays.automatic = state.tool === 'points'));

// ---- the world ---------------------------------------------------------------------------------

const status = h('span', { className: 'status' }, 'connecting');
let online = false;
let lost = '';

/** Live, lost, or what is wrong with the last steps. */
function showStatus(): void {
  const bad = online && state.verdict.status !== '';
  status.textContent = !online ? lost : bad ? state.verdict.status : 'live';
  status.title = bad ? state.verdict.text : '';
  status.className = !online ? 'status' : bad ? 'status bad' : 'status live';
}

function receive(m: ServerMessage): void {
  switch (m.type) {
    case 'welcome':
      state.me = m.id;
      state.subscribe();
      if (startPage) state.connection.request({ ask: 'scenes' });
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
      state.note(m.time, m.text);
      say(`${m.time.toFixed(2)} s: ${m.text}`);
      break;
    case 'troubles':
      state.troubles = overlays.troubles = new Map(m.troubles.map((t) => [t.name, t]));
      bodies.troubled = new Set(state.troubles.keys());
      for (const t of m.troubles) state.note(t.time, `${t.name}: ${t.text}`);
      paint();
      state.tell('troubles');
      break;
    case 'clip':
      clipped(m.text, m.count);
      break;
    case 'picture':
      known.set(m.name, m.data);
      if (m.data) for (const use of wanting.get(m.name) ?? []) use(m.data);
      wanting.delete(m.name);
      break;
    case 'verdict':
      state.verdict = { status: m.status, text: m.text };
      showStatus();
      if (m.text) {
        state.note(state.frame?.time ?? 0, m.text);
        say(m.text, 'warning');
      }
      break;
    case 'notice':
      say(m.text, m.level);
      break;
    case 'file':
      download(m.name, m.text);
      break;
    case 'scenes':
      openScene(state, m.names, say, startPage);
      startPage = false;
      break;
    case 'ended':
      say(`${m.text}. Restart to go on.${m.journal ? ` Journal: ${m.journal}` : ''}`, 'error');
      break;
  }
}

const listener: Listener = {
  message: receive,
  frame: (frame) => plots.frame(frame),
  state: (open, why) => {
    online = open;
    lost = why || 'connection lost, trying again';
    showStatus();
    if (!open && why) say(why, 'error');
    begin();
  },
  fresh: () => {
    framed = shownRevision = -1;
    state.scene = null;
    state.frame = null;
    state.verdict = { status: '', text: '' };
    state.troubles = overlays.troubles = new Map();
    state.events = [];
    state.tell('events');
    state.select([]);
  },
};

// A page of a static site and one that holds everything run the engine themselves.
const name = query.get('name') ?? remembered('name');
const own = await site().catch((error: Error) => {
  say(error.message, 'error');
  return null;
});
const local = own && new Local(name, own, listener);
state.connection = local ?? new Socket(name, listener);

const take = onDrop((main, files) => {
  if (local) return local.show({ name: main, files, base: null, names: [] });
  const text = new TextDecoder().decode(files.find(([n]) => n === main)![1]);
  if (files.length > 1) say('Only the scene itself is sent to the server', 'warning');
  state.connection.command({ do: 'load', name: main, text, merge: false });
}, say);
if (local) state.take = take;

/** Puts the world as it stands into the address. */
async function share(): Promise<void> {
  if (!local) return;
  history.replaceState(null, '', await toFragment(await local.save()));
  const copied = await navigator.clipboard?.writeText(location.href).then(
    () => true,
    () => false,
  );
  const size = `${Math.ceil(location.href.length / 1000)} kB`;
  say(copied ? `The link is in the clipboard (${size})` : `The link is in the address (${size})`);
}

// ---- the page -----------------------------------------------------------------------------------

const title = h('h1', {}, 'Kreisel');
const stat = (label: string, id: string) => {
  const value = h('b', { id }, '–');
  return {
    value,
    element: h('span', { className: 'stat', title: label }, h('small', {}, label), value),
  };
};
const factor = stat('real time', 'factor');
const worst = stat('worst joint', 'worst');
const fps = stat('frames/s', 'fps');

let theme: 'dark' | 'light' = 'dark';
const setTheme = (t: 'dark' | 'light') => {
  theme = t;
  document.documentElement.dataset.theme = t;
  stage.setTheme(t);
  bodies.setTheme(t);
};
const wanted =
  query.get('theme') ||
  remembered('theme') ||
  (matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark');
setTheme(wanted === 'light' ? 'light' : 'dark');
const otherTheme = () => {
  setTheme(theme === 'dark' ? 'light' : 'dark');
  remember('theme', theme);
  plots.restyle();
};

const dialog = help();
const screenshot = () => {
  stage.render();
  canvas.toBlob((blob) => blob && download(`${state.scene?.title ?? 'kreisel'}.png`, blob));
};
const layerPane = layers(state, overlays, () => stage.sceneSize);

const target = (): [number, number, number] => {
  const t = stage.world.worldToLocal(stage.controls.target.clone());
  return [t.x, t.y, t.z];
};
const centerOf = (name: string): [number, number, number] => {
  const k = state.scene?.bodies.findIndex((b) => b.name === name) ?? -1;
  const p = k < 0 ? new THREE.Vector3() : bodies.point(k, state.scene!.bodies[k]!.center);
  return [p.x, p.y, p.z];
};

const markerAt = (m: { body: number; at: [number, number, number] }): [number, number, number] => {
  const p = bodies.point(m.body, m.at);
  return [p.x, p.y, p.z];
};

const toolButtons = new Map<Tool, HTMLButtonElement>();
const setTool = (tool: Tool) => {
  state.tool = tool;
  for (const [name, button] of toolButtons)
    button.setAttribute('aria-pressed', String(name === tool));
  state.tell('tool');
};
const toolBar = h('nav', { className: 'tools', 'aria-label': 'Tools' });
for (const [name, t] of Object.entries(TOOLS)) {
  const button = iconButton(
    t.icon,
    `${t.label}: ${t.hint}`,
    () => setTool(name as Tool),
    `tool-${name}`,
  );
  toolButtons.set(name as Tool, button);
  toolBar.append(button);
}

/** Hides the selection, or shows everything again. */
function hideSelected(): void {
  if (state.selected.length) return state.hide([...state.selected], true);
  say(state.hidden.size ? 'Everything is shown again' : 'Select what is to be hidden');
  state.hide([...state.hidden], false);
}

/** Handles along the axes of the world, or of the body (W-139). */
function otherFrame(): void {
  state.ownFrame = !state.ownFrame;
  frameButton.setAttribute('aria-pressed', String(state.ownFrame));
  say(`handles along the axes of the ${state.ownFrame ? 'body' : 'world'}`);
  state.tell('tool');
}
const frameButton = iconButton(
  'axes',
  'Handles along the axes of the body (W)',
  otherFrame,
  'own-frame',
);
frameButton.setAttribute('aria-pressed', 'false');

/** Goes near to what is selected. */
function frameSelected(): void {
  const box = new THREE.Box3();
  for (const name of state.selected)
    box.union(bodies.box(state.scene?.bodies.findIndex((b) => b.name === name) ?? -1));
  for (const p of overlays.places(new Set(state.selected))) box.expandByPoint(p);
  if (box.isEmpty()) say('Select something to go near to');
  else stage.approach(box.expandByScalar(0.01 * stage.sceneSize));
}

/** Sides to look from, by key. */
const SIDES: Record<string, [number, number, number]> = {
  '1': [0, -1, 0],
  '2': [1, 0, 0],
  // not quite from above: the picture has an upper edge
  '3': [0, -0.001, 1],
  '4': [0.75, -1, 0.5],
};

/** The body that the camera goes along with. */
let ridden: string | null = null;
function ride(): void {
  const name = state.selected.find((n) => state.scene?.bodies.some((b) => b.name === n));
  ridden = ridden === null && name !== undefined ? name : null;
  say(
    ridden !== null
      ? `the camera goes along with ${ridden}; C again lets it go`
      : name === undefined
        ? 'Select a body to go along with'
        : 'the camera stays here',
  );
}

const remove = () =>
  state.selected.length && state.connection.command({ do: 'remove', objects: state.selected });
// Whatever has a name is copied as text: it can be pasted when it is no longer there, and in
// another world.
let clipboard = '';
/** What is removed when its text has come, and whether it is pasted at once. */
let [cutting, doubling]: [string[], boolean] = [[], false];
/** When the text was asked for, while it has not come, and how often it is wanted then. */
let [asked, queued]: [number, number] = [-Infinity, 0];
const beside = (): [number, number, number] => [0.15 * stage.sceneSize, 0, 0];
const clip = (cut: boolean, twice = false) => {
  if (state.selected.length === 0) return say(`Select what is to be ${cut ? 'cut' : 'copied'}`);
  [cutting, doubling] = [cut ? [...state.selected] : [], twice];
  [asked, queued] = [performance.now(), 0];
  state.connection.request({ ask: 'clip', objects: state.selected });
};
function clipped(text: string, count: number): void {
  clipboard = text;
  asked = -Infinity;
  // other pages can take it from there, if the browser lets them
  void navigator.clipboard?.writeText(text).catch(() => {});
  const gone = cutting;
  cutting = [];
  if (gone.length) state.connection.command({ do: 'remove', objects: gone });
  for (; queued > 0; queued--) paste();
  if (doubling) return paste();
  const what = count === 1 ? (gone[0] ?? state.selected[0] ?? 'one object') : `${count} objects`;
  say(`${gone.length ? 'Cut' : 'Copied'} ${what}`);
}
function paste(): void {
  // what was copied a moment ago is still on its way
  if (performance.now() - asked < 3000) {
    queued++;
    return;
  }
  const add = (text: string) =>
    text
      ? state.connection.command({ do: 'paste', text, offset: beside() })
      : say('Copy or cut something first');
  if (clipboard) return add(clipboard) as void;
  void (navigator.clipboard?.readText?.() ?? Promise.resolve('')).then(add, () => add(''));
}
const duplicate = () =>
  state.selected.length > 0 && state.bodies().length === state.selected.length
    ? state.connection.command({ do: 'copy', objects: state.bodies(), offset: beside() })
    : clip(false, true);

// Panes at the right, one at a time; on a phone they come from below.
const panes: [string, string, HTMLElement][] = [
  [
    'list',
    'Objects',
    h(
      'div',
      {},
      tree(state, () => frameSelected()),
      panel(state, (path) => {
        plots.add(path);
        showPane(3);
      }),
    ),
  ],
  ['layers', 'Show', layerPane.element],
  ['add', 'Create', create(state, target, () => stage.sceneSize, centerOf, markerAt, say)],
  ['plot', 'Plots', plots.element],
  ['events', 'Events', eventList(state)],
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
  shown.setAttribute('aria-label', panes[pane]?.[1] ?? 'Closed');
  state.layers = { ...state.layers, errors: pane === 3 };
  state.subscribe();
}
panes.forEach(([name, label], k) =>
  tabs.append(
    h(
      'button',
      {
        className: 'tab',
        type: 'button',
        role: 'tab',
        title: label,
        'aria-label': label,
        id: `pane-${name}`,
        onclick: () => showPane(k),
      },
      icon(name) as unknown as Node,
      h('span', {}, label),
    ),
  ),
);

const header = h(
  'header',
  { className: 'bar top' },
  title,
  status,
  h('span', { className: 'gap' }),
  factor.element,
  worst.element,
  fps.element,
  h('span', { className: 'break' }),
  iconButton('trash', 'Remove the selection (Delete)', remove, 'remove'),
  iconButton('save', 'Save the world (Ctrl S)', () => saveScene(state), 'save'),
  iconButton('copy', 'Duplicate the selection', duplicate, 'duplicate'),
  iconButton('cut', 'Cut (Ctrl X)', () => clip(true), 'cut'),
  iconButton('paste', 'Paste (Ctrl V)', paste, 'paste'),
  iconButton('frame', 'Show everything (A)', () => frameAll(false), 'frame-all'),
  iconButton('camera', 'Picture', screenshot, 'picture'),
  recordButton(canvas, say),
  reality.buttons,
  ...(local ? [iconButton('share', 'Share the world by a link', () => void share(), 'share')] : []),
  iconButton('theme', 'Light or dark (L)', otherTheme, 'theme'),
  iconButton('help', 'Help (?)', () => dialog.showModal(), 'help'),
);
toolBar.append(frameButton);
center.append(toolBar);
document.querySelector('#app')!.prepend(header);
document.querySelector('#app')!.append(side, time.element);
document.body.append(dialog);
setTool('grab');
showPane(matchMedia('(max-width: 720px)').matches ? -1 : 0);

// A button that was clicked keeps the focus; the space bar must still run and pause the world.
let byKeys = false;
addEventListener('pointerdown', () => (byKeys = false), { capture: true });
addEventListener('keydown', (e) => {
  const typing =
    e.target instanceof HTMLInputElement &&
    e.target.type !== 'range' &&
    e.target.type !== 'checkbox';
  if (typing || e.target instanceof HTMLSelectElement || document.querySelector('dialog[open]'))
    return;
  const key = e.key.toLowerCase();
  // Who walks through the page by keys presses its buttons with them.
  if (key === 'tab') byKeys = true;
  const pressing = byKeys && e.target instanceof HTMLElement && e.target.matches('button, summary');
  if (pressing && (key === ' ' || key === 'enter')) return;
  const command = e.ctrlKey || e.metaKey;
  if (command && key === 'z' && !e.shiftKey) state.connection.command({ do: 'undo' });
  else if (command && (key === 'y' || (key === 'z' && e.shiftKey)))
    state.connection.command({ do: 'redo' });
  else if (command && key === 'c') clip(false);
  else if (command && key === 'x') clip(true);
  else if (command && key === 'v') paste();
  else if (command && key === 's') saveScene(state);
  else if (command || e.altKey) return;
  else if (key === ' ') time.toggle();
  else if (key === '.') state.connection.control({ do: 'step', count: 1 });
  else if (key === 'home') state.connection.command({ do: 'restart' });
  else if (key === 'a') frameAll(false);
  else if (key === 'z') frameSelected();
  else if (key === 'c') ride();
  else if (SIDES[key]) stage.from(SIDES[key], bodies.bounds());
  else if (key === 'delete' || key === 'backspace') remove();
  else if (key === 'h') hideSelected();
  else if (key === 'w') otherFrame();
  else if (key === 'l') otherTheme();
  else if (key === 'j') layerPane.set('joints', !overlays.on.joints);
  else if (key === 'x') layerPane.set('axes', !overlays.on.axes);
  else if (key === 'b') layerPane.set('boxes', !overlays.on.boxes);
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

if (local && own) local.show(own.first);

// ---- the loop -----------------------------------------------------------------------------------

let [lastCount, lastTime] = [0, performance.now()];
let begun = false;

/**
 * Draws from now on. Not before the server has answered: the first frame can block the page for
 * longer than the server waits for a hello.
 */
function begin(): void {
  if (begun) return;
  begun = true;
  stage.renderer.setAnimationLoop(draw);
}

function draw(): void {
  const frame = state.connection.frame;
  if (frame && state.scene && frame.scene === state.scene.revision) {
    state.frame = frame;
    rebuild();
    bodies.move(frame);
    // All boxes are looked at, in large worlds not in every frame.
    if (ridden !== null && !state.scene.bodies.some((b) => b.name === ridden)) ridden = null;
    stage.ride(ridden === null ? null : new THREE.Vector3(...centerOf(ridden)));
    if (!reality.active && (pictures % 4 === 0 || frame.bodies < 300))
      stage.follow(bodies.bounds(), farthest);
    overlays.update(frame, new Set(state.selected), (p) => stage.screen(p));
    time.frame(frame);
    state.tell('frame');
  }
  if (reality.active) reality.update();
  else tools.update();
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
      // A world without joints has nothing that could be off; what else is wrong stands in the
      // status.
      worst.value.classList.toggle('bad', name !== undefined && !f.converged);
    }
  }
}

// What tests look at.
Object.assign(window, {
  __viewer: {
    get ready() {
      return shownRevision >= 0;
    },
    get pictures() {
      return pictures;
    },
    get shown() {
      return shownRevision;
    },
    get frame() {
      return state.frame;
    },
    get scene() {
      return state.scene;
    },
    get selected() {
      return state.selected;
    },
    get hidden() {
      return [...state.hidden];
    },
    get troubles() {
      return [...state.troubles.values()];
    },
    get events() {
      return state.events;
    },
    get clipboard() {
      return clipboard;
    },
    get clients() {
      return state.clients;
    },
    get signs() {
      return overlays.elements.counts;
    },
    get eye() {
      return stage.camera.position.distanceTo(stage.controls.target);
    },
    get calls() {
      return stage.renderer.info.render.calls;
    },
    render: () => stage.render(),
    plots: () => plots.summary(),
    position: (name: string) => centerOf(name),
    rotation: (name: string) =>
      bodies.rotations[state.scene?.bodies.findIndex((b) => b.name === name) ?? -1]?.toArray(),
    get handle() {
      return tools.handle;
    },
    screen: (name: string) => stage.screen(new THREE.Vector3(...centerOf(name))),
    screenAt: (x: number, y: number, z: number) => stage.screen(new THREE.Vector3(x, y, z)),
    look: (eye: [number, number, number], at: [number, number, number]) =>
      stage.frame(bodies.bounds(), [eye, at]),
    pane: (k: number) => showPane(k),
    get xr() {
      return reality.summary;
    },
    xrKey: (id: string) => reality.key(id),
    xrLeave: () => reality.leave(),
  },
});
