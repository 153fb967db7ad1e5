// The engine in a worker of this page, as a connection like any other.

import {
  type ClientMessage,
  type Command,
  type Control,
  type Request,
  type ServerMessage,
  VERSION,
} from '../bindings';
import type { Connection, Listener } from '../connection';
import { type Frame, decode } from '../frame';
import { type Site, fetched } from './source';
import type { FromWorker, Source, ToWorker } from './types';
import EngineWorker from './worker.ts?worker&inline';

export class Local implements Connection {
  frame: Frame | null = null;
  open = false;
  private worker: Worker | null = null;
  private source: Source | null = null;
  /** The journal of an engine that has failed. */
  private left: string | null = null;
  private asked = 0;
  private readonly saves = new Map<number, (text: string) => void>();

  constructor(
    private name: string,
    private readonly site: Site,
    private readonly listener: Listener,
  ) {}

  /** Shows another scene; the present one runs on until that can be read. */
  show(source: Source): void {
    this.source = source;
    this.left = null;
    if (!this.worker) this.begin();
    const hello: ClientMessage = { type: 'hello', version: VERSION, token: null, name: this.name };
    this.post({ to: 'open', source, hello: JSON.stringify(hello) });
  }

  /** The world as it stands, as a scene file. */
  save(): Promise<string> {
    const id = this.asked++;
    this.post({ to: 'save', id });
    return new Promise((resolve) => this.saves.set(id, resolve));
  }

  private begin(): void {
    this.worker = new EngineWorker();
    this.worker.onmessage = (event: MessageEvent<FromWorker>) => this.hear(event.data);
    this.worker.onerror = (event) => this.fail(event.message || 'the engine could not be loaded');
    const { glue, wasm, whole } = this.site;
    this.post({ to: 'start', glue, wasm, whole });
  }

  private hear(message: FromWorker): void {
    switch (message.from) {
      case 'opened':
        this.open = true;
        this.frame = null;
        this.listener.fresh();
        this.listener.state(true, '');
        break;
      case 'messages':
        for (const text of message.texts) this.listener.message(JSON.parse(text) as ServerMessage);
        break;
      case 'frame': {
        const frame = decode(message.buffer);
        if (!frame) break;
        this.frame = frame;
        this.listener.frame(frame);
        break;
      }
      case 'saved':
        this.saves.get(message.id)?.(message.text);
        this.saves.delete(message.id);
        break;
      case 'refused':
        this.listener.message({ type: 'notice', level: 'error', text: message.text });
        if (!this.open) this.listener.state(false, message.text.split('\n')[0]!);
        break;
      case 'dead':
        this.left = message.journal;
        this.fail(message.text);
        break;
    }
  }

  private fail(text: string): void {
    this.worker?.terminate();
    this.worker = null;
    this.open = false;
    this.listener.message({ type: 'ended', text: `the simulation failed: ${text}`, journal: null });
    this.listener.state(false, 'ended');
  }

  private post(message: ToWorker): void {
    this.worker?.postMessage(message);
  }

  private send(message: ClientMessage): void {
    this.post({ to: 'message', text: JSON.stringify(message) });
  }

  command(command: Command): void {
    // a world that has failed begins again in another worker
    if (!this.worker && this.source && command.do === 'restart') this.show(this.source);
    else this.send({ type: 'command', command });
  }

  control(control: Control): void {
    this.send({ type: 'control', control });
  }

  request(request: Request): void {
    if (request.ask === 'scenes')
      this.listener.message({ type: 'scenes', names: this.site.names.filter(isScene) });
    else if (request.ask === 'open') void this.fetch(request.name, request.merge);
    else if (request.ask === 'journal' && this.left !== null)
      this.listener.message({ type: 'file', name: 'session.jsonl', text: this.left });
    else this.send({ type: 'request', request });
  }

  message(message: ClientMessage): void {
    if (message.type === 'rename') this.name = message.name;
    this.send(message);
  }

  private async fetch(name: string, merge: boolean): Promise<void> {
    try {
      const source = await fetched(this.site, name);
      if (!merge) return this.show(source);
      const text = new TextDecoder().decode(source.files[0]![1]);
      this.command({ do: 'load', name, text, merge });
    } catch (error) {
      this.listener.message({ type: 'notice', level: 'error', text: (error as Error).message });
    }
  }
}

/** Scenes that are shown in lists; parts of others and tests are not. */
function isScene(name: string): boolean {
  return name.endsWith('.toml') && !/(^|\/)(parts|broken|audit)\//.test(name);
}
