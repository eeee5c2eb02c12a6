import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createInterpreters } from '../../../packages/skillwright/src/process/interpreters.ts';
import type { HandlerOutcome, HandlerRequest } from '../../../packages/skillwright/src/run/handlers/handler-call.ts';
import {
  createHandlerPool,
  type HandlerPool,
  type HandlerPoolOptions,
} from '../../../packages/skillwright/src/run/handlers/handler-pool.ts';
import {
  DEFAULT_SANDBOX_LIMITS,
  type Sandbox,
  type SandboxCapabilities,
  type SandboxLaunch,
} from '../../../packages/skillwright/src/spec/sandbox.ts';

type Changes = Partial<Omit<HandlerRequest, 'launch'>> & { readonly launch?: Partial<SandboxLaunch> };

/** A pool with a directory for handlers; both are removed when the test ends. */
export interface HandlerBench {
  readonly directory: string;
  readonly pool: HandlerPool;
  /** Writes a handler and returns its path. */
  write(name: string, code: string): string;
  /** Calls a handler that was written; its path is the key unless another is given. */
  call(name: string, input?: unknown, changes?: Changes): Promise<HandlerOutcome>;
  request(name: string, input?: unknown, changes?: Changes): Promise<HandlerRequest>;
}

/** Registers one row of the suite; a row about a promise runs only if the tier makes it. */
export type HandlerRow = (what: string, body: () => Promise<void>, needs?: keyof SandboxCapabilities) => void;

const interpreters = createInterpreters({ path: process.env['PATH'] ?? '' });

/** Call it in a test body. */
export function createHandlerBench(sandbox: Sandbox, options: HandlerPoolOptions = {}): HandlerBench {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'skillwright-handlers-')));
  // Tiers that run as another user have to read it.
  chmodSync(directory, 0o755);
  const pool = createHandlerPool(options);
  onTestFinished(async () => {
    await pool.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const request: HandlerBench['request'] = async (name, input = {}, changes = {}) => {
    const file = join(directory, name);
    const found = await interpreters.forScript(file);
    if (!found.ok) throw new Error(`${name} needs ${found.name}. ${found.remedy}`);
    const { launch, ...rest } = changes;
    return {
      key: file,
      sandbox,
      language: name.endsWith('.py') ? 'python' : 'javascript',
      file,
      input,
      timeoutMs: 20_000,
      maxOutputBytes: 20_480,
      maxResultBytes: 1_048_576,
      ...rest,
      launch: {
        executionId: randomUUID(),
        program: found.program,
        args: found.args,
        cwd: directory,
        env: { PATH: '/usr/bin:/bin' },
        skillDir: directory,
        workspace: 'write',
        network: false,
        limits: DEFAULT_SANDBOX_LIMITS,
        channel: false,
        ...launch,
      },
    };
  };
  return {
    directory,
    pool,
    request,
    write(name, code) {
      const file = join(directory, name);
      writeFileSync(file, code);
      return file;
    },
    call: async (name, input, changes) => pool.call(await request(name, input, changes)),
  };
}

/** The value of a call; other outcomes are thrown in full. */
export function valueOf(outcome: HandlerOutcome): unknown {
  if (outcome.answer?.ok === true) return outcome.answer.value;
  throw new Error(`There is no value: ${JSON.stringify(outcome)}`);
}

/** Details of a failed call: reason, problem, and the kind and message of its error. */
export function failureOf(outcome: HandlerOutcome): readonly unknown[] {
  const { answer, reason, problem } = outcome;
  return answer === undefined ? [reason, problem] : answer.ok ? ['answered'] : [answer.kind, answer.message];
}
