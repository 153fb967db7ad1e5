// What the page talks to: a server behind a socket, or the engine in a worker of its own.

import type { ClientMessage, Command, Control, Request, ServerMessage } from './bindings';
import type { Frame } from './frame';

export interface Connection {
  /** The newest frame that has not been shown. */
  frame: Frame | null;
  readonly open: boolean;
  command(command: Command): void;
  control(control: Control): void;
  request(request: Request): void;
  message(message: ClientMessage): void;
}

/** What the page hears. */
export interface Listener {
  message(message: ServerMessage): void;
  frame(frame: Frame): void;
  /** Whether it is connected, and why not if that is final. */
  state(open: boolean, why: string): void;
  /** Another world, whose revisions count from the beginning. */
  fresh(): void;
}
