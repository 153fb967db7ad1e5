// Messages between the page and the worker that runs the engine, and the engine's own face.

/** A scene with the files that it may read, by name. */
export interface Source {
  /** The scene's own name among the files. */
  name: string;
  files: [string, Uint8Array][];
  /** Address that further files are fetched from, and their names. */
  base: string | null;
  names: string[];
}

/** Addresses of the whole engine, which is loaded when a scene needs what the first one lacks. */
export interface Whole {
  glue: string;
  wasm: string;
}

export type ToWorker =
  /** The script around the module, the module or its address, and where the whole engine is. */
  | { to: 'start'; glue: string; wasm: string | ArrayBuffer; whole: Whole | null }
  | { to: 'open'; source: Source; hello: string }
  | { to: 'message'; text: string }
  | { to: 'save'; id: number };

export type FromWorker =
  | { from: 'opened' }
  | { from: 'messages'; texts: string[] }
  | { from: 'frame'; buffer: ArrayBuffer }
  | { from: 'saved'; id: number; text: string }
  /** A scene could not be opened; the world before it runs on. */
  | { from: 'refused'; text: string }
  /** The engine has failed; this worker is of no more use. */
  | { from: 'dead'; text: string; journal: string };

/** The classes of bindings/wasm. */
export interface Files {
  insert(name: string, bytes: Uint8Array): void;
  announce(name: string): void;
  wanted(): string[];
}
export interface Engine {
  message(text: string): void;
  turn(most: number): number;
  messages(): string[];
  frame(): Uint8Array | undefined;
  steps(): number;
  save(): string;
  openJournal(): string;
  free(): void;
}
export interface Module {
  (options: { module_or_path: string | ArrayBuffer }): Promise<unknown>;
  Engine: new (name: string, files: Files, live: boolean) => Engine;
  Files: new () => Files;
  lastPanic(): string;
  /** Whether a scene was refused because this module lacks scripts or importers. */
  lacks(refusal: string): boolean;
}
