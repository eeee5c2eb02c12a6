import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { SkillwrightError } from '../../spec/errors/error.ts';
import { describeThrown, encodeAnswer, type ThrownStory } from '../handler-answer.ts';
import { moduleTypeAbove, skillModulesUrl } from '../skill-modules.ts';
import { NO_CAPABILITIES, type Sandbox, type SandboxLaunch, type SandboxProcess } from '../../spec/sandbox.ts';

export interface InProcessOptions {
  /** Imports a module by its URL. Default: `import()`, which a bundler or test runner may have replaced. */
  readonly importModule?: ((url: string) => Promise<unknown>) | undefined;
}

/**
 * Calls JavaScript handlers inside this process: for trusted code only. There is no isolation: the handler has this
 * process's environment, working directory and globals, its output is not captured, an endless loop blocks the host,
 * and `process.exit()` or an exception in a timer ends it. A promise that never settles is abandoned, not ended.
 */
export function createInProcessSandbox(options: InProcessOptions = {}): Sandbox {
  const importModule = options.importModule ?? ((url: string): Promise<unknown> => import(url));
  const load = createHandlerLoader(importModule);
  return {
    tier: 'inprocess',
    async probe() {
      const detail =
        'JavaScript handlers called inside this process; they can stop it, and their output is not captured';
      return { available: true, capabilities: NO_CAPABILITIES, detail };
    },
    async launch(launch) {
      assertHostable(launch);
      // The import takes effect once for each skill, because Node does not import a module twice.
      if (moduleTypeAbove(launch.skillDir) !== undefined) await importModule(skillModulesUrl(launch.skillDir));
      return new HostedWorker(load);
    },
  };
}

function assertHostable({ handler, program, skillCopy, skillDir }: SandboxLaunch): void {
  if (handler?.language !== 'javascript') {
    const what = handler?.file ?? program;
    throw new SkillwrightError('LaunchFailed', `The inprocess tier runs JavaScript handlers only, not ${what}.`);
  }
  if (skillCopy === undefined) return;
  const message = `The inprocess tier cannot run a copy of ${skillDir} at the original path. Use the bubblewrap tier.`;
  throw new SkillwrightError('LaunchFailed', message, { data: { option: 'skillCopy' } });
}

type Handler = (input: unknown) => unknown;
type LoadHandler = (file: string) => Promise<Handler | undefined>;

/** Loads a file once for each content. Modules cannot be unloaded, so every edit of a file costs some memory. */
function createHandlerLoader(importModule: (url: string) => Promise<unknown>): LoadHandler {
  const seen = new Set<string>();
  const modules = createRequire(import.meta.url).cache;
  const known = new Map<string, { readonly stamp: string; readonly handler: Handler | undefined }>();
  return async (file) => {
    const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
    const stamp = `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
    const before = known.get(file);
    if (before?.stamp === stamp) return before.handler;
    const content = createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
    const url = `${pathToFileURL(file).href}?content=${content}`;
    // Node caches CommonJS modules only by their path, so drop the old content first.
    if (!seen.has(url)) delete modules[file];
    seen.add(url);
    const handler = handlerOf((await importModule(url)) as ModuleExports);
    known.set(file, { stamp, handler });
    return handler;
  };
}

interface ModuleExports {
  readonly default?: unknown;
  readonly handler?: unknown;
}

function handlerOf(loaded: ModuleExports): Handler | undefined {
  const inner = loaded.default as ModuleExports | undefined;
  const found = [loaded.default, loaded.handler, inner?.default, inner?.handler];
  return found.find((candidate): candidate is Handler => typeof candidate === 'function');
}

/** The readable end of a pipe that exists only within this process. */
class MemoryOutput extends EventEmitter {
  #isClosed = false;

  push(text: string): void {
    if (!this.#isClosed) this.emit('data', Buffer.from(text));
  }

  destroy(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.emit('close');
  }
}

/** A handler's channel: the host writes calls to it and reads results from it. */
class MemoryChannel extends MemoryOutput {
  readonly #onLine: (line: string) => void;
  #held = '';

  constructor(onLine: (line: string) => void) {
    super();
    this.#onLine = onLine;
  }

  write(data: string | Uint8Array): void {
    const lines = (this.#held + (typeof data === 'string' ? data : Buffer.from(data).toString())).split('\n');
    this.#held = lines.pop() ?? '';
    for (const line of lines) this.#onLine(line);
  }

  end(): void {
    this.destroy();
  }
}

interface Call {
  readonly id: string;
  readonly mark: string;
  readonly file: string;
  readonly input: unknown;
}

/** A handler worker without a process, with the protocol of `NODE_WORKER_PROGRAM`. */
class HostedWorker implements SandboxProcess {
  readonly stdin = { write: (): void => {}, end: (): void => {} };
  readonly stdout: MemoryOutput = new MemoryOutput();
  readonly stderr: MemoryOutput = new MemoryOutput();
  readonly channel: MemoryChannel = new MemoryChannel((line) => void this.#serve(JSON.parse(line) as Call));
  readonly exited: SandboxProcess['exited'];
  readonly #exit: (ending: { exitCode: null; signal: null }) => void;
  readonly #load: LoadHandler;

  constructor(load: LoadHandler) {
    this.#load = load;
    const { promise, resolve } = Promise.withResolvers<{ exitCode: null; signal: null }>();
    this.exited = promise;
    this.#exit = resolve;
  }

  async kill(): Promise<void> {
    for (const stream of [this.stdout, this.stderr, this.channel]) stream.destroy();
    this.#exit({ exitCode: null, signal: null });
  }

  keepAlive(): void {}

  async #serve(call: Call): Promise<void> {
    this.channel.push(`${JSON.stringify({ id: call.id, begun: true })}\n`);
    const answer = await this.#attempt(call);
    this.stdout.push(call.mark);
    this.stderr.push(call.mark);
    this.channel.push(`{"id":${JSON.stringify(call.id)},${answer}}\n`);
  }

  /** Calls the handler, and returns the fields of its answer as JSON without the outer braces. */
  async #attempt({ file, input }: Call): Promise<string> {
    let value: unknown;
    try {
      const handler = await this.#load(file);
      if (handler === undefined)
        return failure('missing', {
          message: 'it has no default export and no export named handler that is a function',
        });
      value = await handler(input);
    } catch (error) {
      return failure('thrown', describeThrown(error));
    }
    const encoded = encodeAnswer(value);
    if ('refusal' in encoded) return failure('result', { message: encoded.refusal });
    return `"ok":true,"value":${encoded.text}`;
  }
}

function failure(kind: 'missing' | 'thrown' | 'result', story: ThrownStory): string {
  return JSON.stringify({ ok: false, kind, ...story }).slice(1, -1);
}
