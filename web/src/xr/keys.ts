// The keys of the wrist panel: what they say, and the commands that they give.

import * as THREE from 'three';
import type { SolidSpec } from '../bindings';
import type { State } from '../state';
import type { Key } from './wrist';

/** Speeds that the keys go through. */
const SPEEDS = [0.05, 0.2, 0.5, 1, 2, 5];
/** How far a key goes back, s. */
const BACK = 1;
/** Density of new things, kg/m³: wood. */
const DENSITY = 600;

/** What a trigger does to the body that it points at. */
export type Tool = 'hold' | 'push' | 'remove';
const TOOLS: Tool[] = ['hold', 'push', 'remove'];

/** What the keys need to know of the session of virtual reality. */
export interface Desk {
  tool: Tool;
  /** Where new things appear, world coordinates, and their size, m. */
  place(): { at: THREE.Vector3; size: number };
  table(): void;
  leave(): void;
}

export function keys(state: State, desk: Desk): Key[] {
  const c = () => state.connection;
  const speed = (by: number) => {
    const now = state.frame?.speed || 1;
    const k = SPEEDS.findIndex((s) => s >= now - 1e-6);
    const next = SPEEDS[Math.min(Math.max((k < 0 ? SPEEDS.length - 1 : k) + by, 0), 5)]!;
    c().control({ do: 'speed', factor: next });
  };
  const spawn = (make: (size: number) => SolidSpec) => () => {
    const { at, size } = desk.place();
    c().command({
      do: 'add_body',
      name: '',
      shape: {
        solid: make(size),
        density: DENSITY,
        kind: 'dynamic',
        position: [at.x, at.y, at.z],
        rotation: [0, 0, 0, 1],
        color: null,
      },
    });
  };
  const said = (text: string) => () => text;
  return [
    {
      id: 'run',
      label: () => (state.frame?.running ? 'pause' : 'run'),
      press: () => c().control({ do: state.frame?.running ? 'pause' : 'run' }),
    },
    { id: 'step', label: said('step'), press: () => c().control({ do: 'step', count: 1 }) },
    {
      id: 'back',
      label: said(`−${BACK} s`),
      press: () =>
        c().command({ do: 'rewind', time: Math.max(0, (state.frame?.time ?? 0) - BACK) }),
    },
    { id: 'restart', label: said('restart'), press: () => c().command({ do: 'restart' }) },
    { id: 'slower', label: said('slower'), press: () => speed(-1) },
    {
      id: 'faster',
      label: () =>
        `faster (${state.frame?.speed ? `${state.frame.speed.toPrecision(2)}×` : 'max'})`,
      press: () => speed(1),
    },
    { id: 'undo', label: said('undo'), press: () => c().command({ do: 'undo' }) },
    { id: 'redo', label: said('redo'), press: () => c().command({ do: 'redo' }) },
    {
      id: 'tool',
      label: () => `tool: ${desk.tool}`,
      press: () => (desk.tool = TOOLS[(TOOLS.indexOf(desk.tool) + 1) % TOOLS.length]!),
    },
    { id: 'box', label: said('+ box'), press: spawn((s) => ({ box: [s, s, s] })) },
    { id: 'sphere', label: said('+ ball'), press: spawn((s) => ({ sphere: s / 2 })) },
    { id: 'table', label: said('1:1 / table'), press: () => desk.table() },
    { id: 'leave', label: said('leave'), press: () => desk.leave() },
  ];
}
