// Elements without a framework.

type Child = Node | string | null | undefined | false;
type Props = Record<string, unknown>;

/** Makes an element: properties by name, `on…` listeners, `aria-…` and `data-…` attributes. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    if (key.startsWith('on') && typeof value === 'function') {
      e.addEventListener(key.slice(2), value as EventListener);
    } else if (key.includes('-') || key === 'role' || key === 'for' || key === 'list') {
      e.setAttribute(key, String(value));
    } else {
      (e as unknown as Props)[key] = value;
    }
  }
  e.append(...children.filter((c): c is Node | string => !!c || c === ''));
  return e;
}

/** A number with few digits. */
export function short(x: number, digits = 4): string {
  if (!Number.isFinite(x)) return '–';
  if (x === 0) return '0';
  const a = Math.abs(x);
  if (a < 1e-3 || a >= 1e6)
    return x
      .toExponential(Math.max(0, digits - 3))
      .replace('e+', 'e')
      .replace(/\.?0+e/, 'e');
  return String(Number(x.toPrecision(digits)));
}

/** Gives a text or picture to the user as a file. */
export function download(name: string, content: Blob | string): void {
  const blob = typeof content === 'string' ? new Blob([content], { type: 'text/plain' }) : content;
  const url = URL.createObjectURL(blob);
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const PATHS: Record<string, string> = {
  play: 'M7 4l13 8-13 8z',
  pause: 'M6 4h4v16H6zM14 4h4v16h-4z',
  step: 'M5 4l10 8-10 8zM17 4h3v16h-3z',
  restart: 'M12 5V1L6 6l6 5V7a5 5 0 1 1-5 5H5a7 7 0 1 0 7-7z',
  undo: 'M9 7V3L3 9l6 6v-4c5 0 8 2 10 6 0-6-4-10-10-10z',
  redo: 'M15 7V3l6 6-6 6v-4c-5 0-8 2-10 6 0-6 4-10 10-10z',
  select: 'M5 3l14 8-6 2-3 6z',
  grab: 'M8 11V5a1.5 1.5 0 0 1 3 0v5V4a1.5 1.5 0 0 1 3 0v6V5.500a1.500 1.500 0 0 1 3 0V14c0 4-2 7-6 7s-5-2-7-6l-1.500-3a1.500 1.500 0 0 1 2.500-1.500z',
  push: 'M3 11h11V7l7 5-7 5v-4H3z',
  move: 'M12 2l3 4h-2v5h5V9l4 3-4 3v-2h-5v5h2l-3 4-3-4h2v-5H6v2l-4-3 4-3v2h5V6H9z',
  turn: 'M12 4a8 8 0 0 1 8 8h2l-3.500 4L15 12h2.500A5.500 5.500 0 1 0 12 17.500V20a8 8 0 0 1 0-16z',
  force: 'M4 18L16 6h-5V3h10v10h-3V8L6 20z',
  frame: 'M3 3h6v2H5v4H3zM15 3h6v6h-2V5h-4zM3 15h2v4h4v2H3zM19 15h2v6h-6v-2h4z',
  camera: 'M4 7h4l2-3h4l2 3h4v13H4zm8 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
  record: 'M12 5a7 7 0 1 0 0 14 7 7 0 0 0 0-14z',
  share:
    'M18 2a3 3 0 0 0-2.900 3.700L8.400 9.300a3 3 0 1 0 0 5.400l6.700 3.600a3 3 0 1 0 .900-1.800l-6.600-3.600v-1.800l6.600-3.600A3 3 0 1 0 18 2z',
  theme: 'M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm0 2a8 8 0 0 1 0 16z',
  torque:
    'M4 12a8 8 0 0 1 14-5.300V4h2v6h-6V8h2.600A6 6 0 1 0 18 12h2a8 8 0 0 1-16 0zm6 0a2 2 0 1 1 4 0 2 2 0 0 1-4 0z',
  help: 'M11 17h2v2h-2zm1-14a6 6 0 0 0-6 6h2a4 4 0 1 1 6 3.500c-2 1-3 2-3 3.500h2c0-1 1-1.500 2-2A6 6 0 0 0 12 3z',
  add: 'M11 4h2v7h7v2h-7v7h-2v-7H4v-2h7z',
  trash: 'M8 4l1-2h6l1 2h4v2H4V4zM6 8h12l-1 14H7z',
  copy: 'M8 2h12v14h-4v-2h2V4H10v2H8zM4 8h12v14H4z',
  plot: 'M3 3h2v16h16v2H3zM7 15l4-6 4 4 5-8 1.500 1-6.500 10-4-4-3 4.500z',
  layers: 'M12 3l10 5-10 5L2 8zM4.500 11.500L12 15l7.500-3.500L22 13l-10 5-10-5z',
  list: 'M4 5h2v2H4zM8 5h12v2H8zM4 11h2v2H4zM8 11h12v2H8zM4 17h2v2H4zM8 17h12v2H8z',
  people:
    'M8 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zm8 2a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM1 20c0-4 3-6 7-6s7 2 7 6zm15 0c0-2-.5-4-2-5.500 4-1 9 .5 9 5.500z',
  folder: 'M2 5h7l2 2h11v13H2z',
  save: 'M3 3h14l4 4v14H3zm4 2v5h8V5zM7 14v5h10v-5z',
  cut: 'M6 3a3 3 0 0 0-1 5.800l5 3.200-5 3.200A3 3 0 1 0 8.700 18l.2-1L13 14l7 5h2v-1L8.900 7l-.2-1A3 3 0 0 0 6 3z',
  paste: 'M9 2h6v2h4v18H5V4h4zm0 4H7v14h10V6h-2v2H9z',
  scale: 'M4 4h6v2H7.400l9.200 9.200V12.500h2V20h-7.500v-2h2.700L5.500 8.700V11H4z',
  point:
    'M12 3a5 5 0 0 1 5 5c0 3-5 13-5 13S7 11 7 8a5 5 0 0 1 5-5zm0 3a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  eye: 'M12 5c5 0 9 4 10 7-1 3-5 7-10 7S3 15 2 12c1-3 5-7 10-7zm0 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
  hidden:
    'M3 4.400L4.400 3 21 19.600 19.600 21zM12 5c5 0 9 4 10 7-.4 1-1.300 2.500-2.700 3.800L8 5.600A11 11 0 0 1 12 5zM2 12c.5-1.300 1.600-2.900 3.200-4.300L16 18.300A11 11 0 0 1 12 19c-5 0-9-4-10-7z',
  lock: 'M7 10V8a5 5 0 0 1 10 0v2h2v11H5V10zm2 0h6V8a3 3 0 0 0-6 0z',
  unlock: 'M7 10V8a5 5 0 0 1 9.600-2l-1.900.7A3 3 0 0 0 9 8v2h10v11H5V10z',
  axes: 'M11 3l3 4h-2v6.600l5.500 3.200 1-1.700L21 19l-5 .8 1-1.800-6-3.400L5 18l1 1.800L1 19l2.500-3.900 1 1.700L10 13.600V7H8z',
  text: 'M4 4h16v4h-2V6h-5v12h3v2H8v-2h3V6H6v2H4z',
  reset: 'M12 5V1L6 6l6 5V7a5 5 0 1 1-5 5H5a7 7 0 1 0 7-7z',
  events: 'M3 11h3l3-7 4 15 3-8h5v2h-4l-4 10-4-14-2 4H3z',
  close:
    'M5 6.400L6.400 5 12 10.600 17.600 5 19 6.400 13.400 12l5.600 5.600-1.400 1.400-5.600-5.600L6.400 19 5 17.600 10.600 12z',
};

/** An icon. */
export function icon(name: string): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', PATHS[name] ?? '');
  svg.append(path);
  return svg;
}

/** A button with an icon; the label is read aloud and shown as a tip. */
export function iconButton(
  name: string,
  label: string,
  onclick: () => void,
  id?: string,
): HTMLButtonElement {
  return h(
    'button',
    { className: 'icon', title: label, 'aria-label': label, onclick, id, type: 'button' },
    icon(name) as unknown as Node,
  );
}

/** What this browser remembers between visits; private windows may refuse, which is no error. */
export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`kreisel-${key}`, value);
  } catch {
    // Then it is asked anew.
  }
}

export function remembered(key: string): string {
  try {
    return localStorage.getItem(`kreisel-${key}`) ?? '';
  } catch {
    return '';
  }
}
