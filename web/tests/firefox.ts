// Drives Debian's Firefox over its own wire (Marionette): a line of a length and JSON each way. The
// browser library of the other tests needs a Firefox of its own.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type Socket, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const FIREFOX = process.env.FIREFOX ?? '/usr/bin/firefox-esr';
export const hasFirefox = existsSync(FIREFOX);
/** A screen that nobody sees: without one Debian's Firefox has no WebGL. */
const SCREEN = '/usr/bin/Xvfb';
export const hasScreen = existsSync(SCREEN);

const PORT = 28_281;

/** Starts a screen and gives its name; a free number is chosen by the screen itself. */
function screen(): Promise<{ name: string; child: ChildProcess }> {
  const child = spawn(
    SCREEN,
    ['-displayfd', '3', '-screen', '0', '900x600x24', '-nolisten', 'tcp'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdio[3]!.on('data', (d: Buffer) => {
      text += d.toString();
      if (text.endsWith('\n')) resolve({ name: `:${text.trim()}`, child });
    });
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`the screen ended with ${code}`)));
  });
}

export class Firefox {
  private buffer = Buffer.alloc(0);
  private asked = 0;
  private readonly waiting = new Map<number, [(value: unknown) => void, (e: Error) => void]>();

  private constructor(
    private readonly child: ChildProcess,
    private readonly socket: Socket,
    private readonly profile: string,
    private readonly shown: ChildProcess | null,
  ) {
    socket.on('data', (d) => this.take(d));
    socket.on('close', () => {
      for (const [, fail] of this.waiting.values()) fail(new Error('Firefox has ended'));
    });
  }

  /** Starts a browser on a screen that nobody sees, with software rendering. */
  static async start(): Promise<Firefox> {
    const profile = mkdtempSync(join(tmpdir(), 'kreisel-firefox-'));
    const settings = {
      'marionette.port': PORT,
      // software renderers count, too
      'webgl.force-enabled': true,
      'webgl.forbid-software': false,
      'gfx.x11-egl.force-enabled': true,
      'browser.shell.checkDefaultBrowser': false,
      'datareporting.policy.dataSubmissionEnabled': false,
      'app.update.disabledForTesting': true,
    };
    const lines = Object.entries(settings).map(
      ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
    );
    writeFileSync(join(profile, 'user.js'), lines.join('\n'));
    const shown = hasScreen ? await screen() : null;
    const where = shown
      ? { DISPLAY: shown.name }
      : { MOZ_HEADLESS: '1', MOZ_HEADLESS_WIDTH: '900', MOZ_HEADLESS_HEIGHT: '600' };
    const child = spawn(FIREFOX, ['--marionette', '--profile', profile], {
      stdio: 'ignore',
      env: { ...process.env, ...where },
    });
    for (let k = 0; k < 300; k++) {
      await new Promise((r) => setTimeout(r, 100));
      const socket = await new Promise<Socket | null>((resolve) => {
        const s = connect(PORT, '127.0.0.1', () => resolve(s));
        s.on('error', () => resolve(null));
      });
      if (!socket) continue;
      const firefox = new Firefox(child, socket, profile, shown?.child ?? null);
      await firefox.ask('WebDriver:NewSession', {});
      return firefox;
    }
    child.kill();
    shown?.child.kill();
    throw new Error('Firefox did not open its port within 30 s');
  }

  private take(data: Buffer): void {
    this.buffer = Buffer.concat([this.buffer, data]);
    for (;;) {
      const colon = this.buffer.indexOf(':');
      if (colon < 0) return;
      const length = Number(this.buffer.toString('latin1', 0, colon));
      if (this.buffer.length < colon + 1 + length) return;
      const text = this.buffer.toString('utf8', colon + 1, colon + 1 + length);
      this.buffer = this.buffer.subarray(colon + 1 + length);
      const message = JSON.parse(text) as unknown;
      // the first message says who it is
      if (!Array.isArray(message)) continue;
      const [, id, error, value] = message as [number, number, { message: string } | null, unknown];
      const [resolve, fail] = this.waiting.get(id) ?? [];
      this.waiting.delete(id);
      if (error) fail?.(new Error(error.message));
      else resolve?.(value);
    }
  }

  private ask(command: string, parameters: object): Promise<unknown> {
    const id = ++this.asked;
    const text = JSON.stringify([0, id, command, parameters]);
    this.socket.write(`${Buffer.byteLength(text)}:${text}`);
    return new Promise((resolve, fail) => this.waiting.set(id, [resolve, fail]));
  }

  async visit(url: string): Promise<void> {
    await this.ask('WebDriver:Navigate', { url });
  }

  /** The value of a JavaScript expression in the page. */
  async value<T>(expression: string): Promise<T> {
    const answer = await this.ask('WebDriver:ExecuteScript', {
      script: `return ${expression}`,
      args: [],
      sandbox: null,
    });
    return (answer as { value: T }).value;
  }

  /** Waits until an expression is true. */
  async until(expression: string, seconds = 60): Promise<void> {
    const begin = Date.now();
    while (!(await this.value<boolean>(expression).catch(() => false))) {
      if (Date.now() - begin > seconds * 1000)
        throw new Error(`not in ${seconds} s: ${expression}`);
      await new Promise((r) => setTimeout(r, 200));
    }
  }

  /** Presses the pointer at a place of the page and moves it by some pixels; it stays pressed. */
  async pull(at: { x: number; y: number }, by: [number, number]): Promise<void> {
    const move = (k: number) => ({
      type: 'pointerMove',
      duration: 50,
      x: Math.round(at.x + k * by[0]),
      y: Math.round(at.y + k * by[1]),
    });
    const way = [1, 2, 3, 4, 5].map((k) => move(k / 5));
    const actions = [move(0), { type: 'pointerDown', button: 0 }, ...way];
    const pointer = { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions };
    await this.ask('WebDriver:PerformActions', { actions: [pointer] });
  }

  async stop(): Promise<void> {
    await this.ask('Marionette:Quit', { flags: ['eForceQuit'] }).catch(() => undefined);
    this.socket.destroy();
    this.child.kill();
    this.shown?.kill();
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
