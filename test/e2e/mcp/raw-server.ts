import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { repository } from '../cli/cli-runner.ts';
import { environment } from '../cli/running/running-cli.ts';

const program = join(repository, 'packages/skillwright/src/cli.ts');

interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The server without a client: a test writes and reads the messages itself. */
export interface RawServer {
  readonly pid: number;
  /** Bytes that the server has not read yet. */
  unread(): number;
  write(text: string): void;
  send(message: object): void;
  /** Sends a request and waits for its response. */
  ask(method: string, params?: object): Promise<Message>;
  /** Waits for the response to a request that the test sent with this id. */
  response(id: number | string): Promise<Message>;
  initialize(): Promise<Message>;
  /** Every line of standard output so far. */
  readonly lines: readonly string[];
  readonly messages: readonly Message[];
  stderr(): string;
  /** Starts to read the server's output, if `isReading` was false. */
  read(): void;
  /** Closes the client's ends of the pipes, as if it had died. */
  vanish(): void;
  endInput(): void;
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<number | null>;
}

export function startServer(args: readonly string[], options: { cwd: string; isReading?: boolean }): RawServer {
  const child = spawn(process.execPath, [program, 'mcp', ...args], {
    cwd: options.cwd,
    env: environment(options.cwd),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => {});
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => void (stderr += chunk.toString()));
  const lines: string[] = [];
  const messages: Message[] = [];
  const waiting = new Map<unknown, (message: Message) => void>();
  const read = (): void => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      const message = JSON.parse(line) as Message;
      messages.push(message);
      if (message.method === undefined) waiting.get(message.id)?.(message);
    });
  };
  if (options.isReading !== false) read();
  let last = 0;
  const write = (text: string): void => void child.stdin.write(text);
  const send = (message: object): void => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const response = (id: number | string): Promise<Message> =>
    new Promise((resolve) => {
      const known = messages.find((message) => message.method === undefined && message.id === id);
      if (known === undefined) waiting.set(id, resolve);
      else resolve(known);
    });
  const ask = (method: string, params: object = {}): Promise<Message> => {
    last += 1;
    send({ id: last, method, params });
    return response(last);
  };
  return {
    pid: child.pid ?? 0,
    unread: () => child.stdin.writableLength,
    write,
    send,
    ask,
    response,
    async initialize() {
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
      const answer = await ask('initialize', params);
      send({ method: 'notifications/initialized' });
      return answer;
    },
    lines,
    messages,
    stderr: () => stderr,
    read,
    vanish() {
      child.stdin.destroy();
      child.stdout.destroy();
      child.stderr.destroy();
    },
    endInput: () => void child.stdin.end(),
    signal: (name) => void child.kill(name),
    ended: new Promise((resolve) => {
      child.once('exit', (code) => resolve(code));
    }),
  };
}
