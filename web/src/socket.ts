// The socket: says hello, keeps only the newest frame, and comes back after an interruption.

import {
  type ClientMessage,
  type Command,
  type Control,
  type Request,
  type ServerMessage,
  VERSION,
} from './bindings';
import type { Connection, Listener } from './connection';
import { type Frame, decode } from './frame';

export class Socket implements Connection {
  /** The newest frame that has not been shown. */
  frame: Frame | null = null;
  open = false;
  private socket: WebSocket | null = null;
  private wait = 500;

  constructor(
    private name: string,
    private readonly listener: Listener,
  ) {
    this.connect();
  }

  private connect(): void {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${location.host}/socket`);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      // The token stays in the fragment, which browsers send to nobody.
      const token = location.hash.length > 1 ? location.hash.slice(1) : null;
      this.send({ type: 'hello', version: VERSION, token, name: this.name });
    };
    socket.onmessage = (event) => {
      if (event.data instanceof ArrayBuffer) {
        const frame = decode(event.data);
        if (frame) {
          this.frame = frame;
          this.listener.frame(frame);
        }
        return;
      }
      const message = JSON.parse(event.data as string) as ServerMessage;
      if (message.type === 'welcome') {
        // Opened again without its fragment, the page is known by the cookie.
        if (location.hash.length > 1)
          document.cookie = `kreisel-${location.port}=${location.hash.slice(1)}; path=/; SameSite=Strict`;
        this.open = true;
        this.wait = 500;
        this.listener.state(true, '');
      }
      this.listener.message(message);
    };
    socket.onclose = (event) => {
      this.open = false;
      // A broken rule is final until the page is loaded anew; whoever was only too slow to say
      // hello comes again.
      const final = event.code === 1008;
      this.listener.state(false, final ? event.reason : '');
      if (!final) setTimeout(() => this.connect(), (this.wait = Math.min(this.wait * 2, 8000)));
    };
  }

  private send(message: ClientMessage): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  command(command: Command): void {
    this.send({ type: 'command', command });
  }

  control(control: Control): void {
    this.send({ type: 'control', control });
  }

  request(request: Request): void {
    this.send({ type: 'request', request });
  }

  message(message: ClientMessage): void {
    // After an interruption it comes back under the same name.
    if (message.type === 'rename') this.name = message.name;
    this.send(message);
  }
}
