// Reads binary frames; the layout is described in crates/kreisel-session/src/protocol/frame.rs.

import { FLAG, HEADER, LAYOUT, SECTION } from './bindings';

export interface Frame {
  scene: number;
  step: number;
  bodies: number;
  time: number;
  origin: [number, number, number];
  energy: [number, number, number];
  worst: [number, number];
  worstJoint: number;
  running: boolean;
  ended: boolean;
  converged: boolean;
  history: [number, number];
  residual: number;
  factor: number;
  speed: number;
  stepTime: number;
  stepSize: number;
  undo: number;
  redo: number;
  /** Per body: x, y, z from the origin, quaternion x, y, z, w. */
  poses: Float32Array;
  velocities?: Float32Array;
  reactions?: Float32Array;
  errors?: Float32Array;
  contacts?: Float32Array;
  samples?: Float64Array;
  hands?: Float32Array;
  /** Three per connector that moves by formulas, from the origin. */
  moving?: Float32Array;
  /** Eleven per hand of virtual reality that holds. */
  holds?: Float32Array;
}

/** A frame, or null when the bytes are not one of this layout. */
export function decode(buffer: ArrayBuffer): Frame | null {
  if (buffer.byteLength < HEADER) return null;
  const d = new DataView(buffer);
  if (
    d.getUint8(0) !== 75 ||
    d.getUint8(1) !== 82 ||
    d.getUint8(2) !== 70 ||
    d.getUint8(3) !== LAYOUT
  )
    return null;
  const f64 = (at: number) => d.getFloat64(at, true);
  const f32 = (at: number) => d.getFloat32(at, true);
  const u32 = (at: number) => d.getUint32(at, true);
  const bodies = u32(12);
  const flags = u32(92);
  const frame: Frame = {
    scene: u32(4),
    step: u32(8),
    bodies,
    time: f64(16),
    origin: [f64(24), f64(32), f64(40)],
    energy: [f64(48), f64(56), f64(64)],
    worst: [f64(72), f64(80)],
    worstJoint: d.getInt32(88, true),
    running: (flags & FLAG.running) !== 0,
    ended: (flags & FLAG.ended) !== 0,
    converged: (flags & FLAG.converged) !== 0,
    history: [f64(96), f64(104)],
    residual: f64(112),
    factor: f32(120),
    speed: f32(124),
    stepTime: f32(128),
    stepSize: f32(132),
    undo: d.getUint16(136, true),
    redo: d.getUint16(138, true),
    poses: new Float32Array(buffer, HEADER, bodies * 7),
  };
  let at = HEADER + bodies * 28;
  for (let k = 0; k < u32(140); k++) {
    at = Math.ceil(at / 8) * 8;
    const [kind, count] = [u32(at), u32(at + 4)];
    at += 8;
    if (kind === SECTION.samples) {
      frame.samples = new Float64Array(buffer, at, count);
      at += count * 8;
      continue;
    }
    const values = new Float32Array(buffer, at, count);
    at += count * 4;
    if (kind === SECTION.velocities) frame.velocities = values;
    else if (kind === SECTION.reactions) frame.reactions = values;
    else if (kind === SECTION.errors) frame.errors = values;
    else if (kind === SECTION.contacts) frame.contacts = values;
    else if (kind === SECTION.hands) frame.hands = values;
    else if (kind === SECTION.moving) frame.moving = values;
    else if (kind === SECTION.holds) frame.holds = values;
  }
  return frame;
}
