// The engine in a worker: takes messages as the server's socket does, and runs by the clock.

import type { Engine, FromWorker, Module, Source, ToWorker, Whole } from './types';

/** Longest time without looking at messages, ms: half a frame. */
const SLICE = 8;
/** Most times that a scene is read again because a file that was fetched names others. */
const ROUNDS = 12;

declare const self: {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
};

let ready: Promise<unknown> = Promise.resolve();
let module: Module;
/** Where the whole engine is; none where it runs already, or where there is none. */
let whole: Whole | null = null;
let engine: Engine | null = null;
let dead = false;
/** The journal as it was when the scene was opened, and the commands since: a failed engine has none. */
let journal: string[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

// Timers wait for 4 ms at least; a message to oneself comes at once.
const soon = new MessageChannel();
let coming = false;
soon.port1.onmessage = () => {
  coming = false;
  run();
};

/** Calls the engine; where it fails, that is told once. */
function guarded<T>(act: () => T): T | undefined {
  if (dead) return undefined;
  try {
    return act();
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    dead = true;
    engine = null;
    const text = module.lastPanic() || String(error);
    self.postMessage({ from: 'dead', text, journal: journal.join('') });
    return undefined;
  }
}

function flush(): void {
  const texts = engine?.messages() ?? [];
  if (texts.length) self.postMessage({ from: 'messages', texts });
  const frame = engine?.frame();
  if (frame) {
    const buffer = frame.buffer as ArrayBuffer;
    self.postMessage({ from: 'frame', buffer }, [buffer]);
  }
}

function run(): void {
  clearTimeout(timer);
  guarded(() => {
    if (!engine) return;
    const wait = engine.turn(SLICE);
    flush();
    // one call is under way at most, or every message of the page would begin another chain of them
    if (wait > 0) timer = setTimeout(run, wait);
    else if (!coming) {
      coming = true;
      soon.port2.postMessage(null);
    }
  });
}

/** A module by the script around it: a page from disk may import nothing, not even from memory. */
function around(glue: string): Module {
  return (new Function(`${glue}\nreturn wasm_bindgen;`) as () => Module)();
}

/** The whole engine in place of the first one; the scene that runs goes on in its own. */
async function complete(from: Whole): Promise<void> {
  const answer = await fetch(from.glue);
  if (!answer.ok) throw new Error(`${from.glue} cannot be fetched: ${answer.status}`);
  const fresh = around(await answer.text());
  await fresh({ module_or_path: from.wasm });
  module = fresh;
  whole = null;
}

/** Opens a scene; files that it names and that can be fetched are. */
async function open(source: Source, hello: string): Promise<void> {
  const files = new Map(source.files);
  for (let round = 0; ; round++) {
    const set = new module.Files();
    for (const name of source.names) set.announce(name);
    for (const [name, bytes] of files) set.insert(name, bytes);
    try {
      const fresh = guarded(() => new module.Engine(source.name, set, true));
      if (!fresh) return;
      engine?.free();
      engine = fresh;
      journal = [fresh.openJournal()];
      self.postMessage({ from: 'opened' });
      engine.message(hello);
      return run();
    } catch (error) {
      // a robot, a mesh or a script: what was loaded first has none of these
      if (whole && module.lacks((error as Error).message)) {
        await complete(whole);
        continue;
      }
      const wanted = set.wanted();
      if (!wanted.length || source.base === null || round >= ROUNDS) throw error;
      const fetched = wanted.map(async (name): Promise<[string, Uint8Array]> => {
        const answer = await fetch(new URL(name, source.base!));
        if (!answer.ok) throw new Error(`${name} cannot be fetched: ${answer.status}`);
        return [name, new Uint8Array(await answer.arrayBuffer())];
      });
      for (const [name, bytes] of await Promise.all(fetched)) files.set(name, bytes);
    }
  }
}

function take(message: ToWorker): void {
  switch (message.to) {
    case 'start':
      module = around(message.glue);
      whole = message.whole;
      ready = module({ module_or_path: message.wasm });
      break;
    case 'open':
      ready = ready
        .then(() => open(message.source, message.hello))
        .catch((error: Error) => self.postMessage({ from: 'refused', text: error.message }));
      break;
    case 'message': {
      const parsed = JSON.parse(message.text) as { type: string; command?: unknown };
      if (engine && parsed.type === 'command')
        journal.push(
          `${JSON.stringify({ step: engine.steps(), client: 1, command: parsed.command })}\n`,
        );
      guarded(() => engine?.message(message.text));
      run();
      break;
    }
    case 'save':
      self.postMessage({
        from: 'saved',
        id: message.id,
        text: guarded(() => engine?.save()) ?? '',
      });
      break;
  }
}
self.onmessage = (event) => take(event.data);
