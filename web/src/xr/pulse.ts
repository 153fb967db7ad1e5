// What a hand feels: short pulses from the impulses of contacts and joints of what it holds.

import type { Frame } from '../frame';

/** A pulse is full where the force rises by so many weights of the body. */
const FULL = 4;
/** Weaker ones are not felt. */
const LEAST = 0.04;
/** Length of a pulse, ms. */
const LENGTH = 18;
const EARTH = 9.81;
/** Numbers of a hand in the frame's section. */
const WIDTH = 11;

export interface Felt {
  body: number;
  /** Force of the hand, N. */
  force: [number, number, number];
  contacts: number;
  joints: number;
}

/** What the frame says about a hand of a client. */
export function felt(frame: Frame, client: number, hand: number): Felt | null {
  const h = frame.holds;
  for (let i = 0; h && i + WIDTH <= h.length; i += WIDTH)
    if (h[i] === client && h[i + 1] === hand)
      return {
        body: h[i + 2]!,
        force: [h[i + 6]!, h[i + 7]!, h[i + 8]!],
        contacts: h[i + 9]!,
        joints: h[i + 10]!,
      };
  return null;
}

export class Pulse {
  /** How many were given, and how strong the last one was. */
  count = 0;
  last = 0;
  private before: Felt | null = null;

  /** Compares with the frame before: what rises is felt. */
  update(source: XRInputSource | null, now: Felt | null, mass: number): void {
    const before = this.before;
    this.before = now;
    if (!now || !before || now.body !== before.body) return;
    const rise = Math.max(now.contacts - before.contacts, now.joints - before.joints);
    this.give(source, rise / (FULL * EARTH * Math.max(mass, 1e-9)));
  }

  give(source: XRInputSource | null, strength: number): void {
    if (!(strength > LEAST)) return;
    this.count++;
    this.last = Math.min(strength, 1);
    const pad = source?.gamepad as
      | (Gamepad & { hapticActuators?: { pulse?(value: number, ms: number): unknown }[] })
      | undefined;
    void pad?.hapticActuators?.[0]?.pulse?.(this.last, LENGTH);
  }
}
