import { randomUUID } from 'node:crypto';
import { chmod, mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProgramResult, ProgramRunner } from 'skillwright/host';
import type { HandlerContext } from '../executions/executor.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import { cutText, decodeOutput } from './program-output.ts';
import { watchUsage } from './usage-watch.ts';
import { trimWorkspace } from './workspace-usage.ts';

export interface SandboxedScriptsOptions {
  readonly runner: ProgramRunner;
  /** Where scripts are while they run; nothing else is there. */
  readonly scriptsDir: string;
  readonly workspaceOf: (tenant: string) => string;
  readonly env: Readonly<Record<string, string>>;
  readonly workspaceBytes: number;
  readonly maxOutputChars: number;
  /** Whether a script may ask for the network. */
  readonly networkEnabled: boolean;
}

export interface ScriptRequest {
  /** Its name says what runs it. */
  readonly file: string;
  readonly text: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  readonly networkEnabled: boolean;
}

export interface ScriptAnswer {
  readonly success: boolean;
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly durationMs: number;
  /** It was ended: it took too long, was cancelled, or filled its workspace. */
  readonly killed: boolean;
}

export type RunScript = (request: ScriptRequest, context: HandlerContext) => Promise<ScriptAnswer>;

/** A workspace with more than so many times its quota is no place to run anything, be it to make room. */
const MOST_OVERFULL = 2;
/** A character of UTF-16 is at most so many bytes of UTF-8. */
const BYTES_PER_CHARACTER = 3;

/** Runs texts as scripts, in a sandbox, in the workspace of whoever's key it is. */
export function createSandboxedScripts(options: SandboxedScriptsOptions): RunScript {
  const { runner, workspaceOf, workspaceBytes, maxOutputChars } = options;
  let ready: Promise<string> | undefined;
  return async (request, context) => {
    if (request.networkEnabled && !options.networkEnabled)
      throw new GatewayError(
        'InvalidInput',
        "The network was asked for with 'networkEnabled', and the operator of the gateway allows it to no program. Leave it out.",
        { data: { setting: 'builtins.sandboxNetworkEnabled' } },
      );
    // A first call that fails to make the directory does not spoil the next.
    const scripts = await (ready ??= emptied(options.scriptsDir).catch((error: unknown) => {
      ready = undefined;
      throw error;
    }));
    const directory = join(scripts, randomUUID());
    const workspace = await realpath(workspaceOf(context.apiKeyId ?? ''));
    const startedAt = performance.now();
    const watch = await watchUsage(workspace, workspaceBytes);
    if (watch.maxBytes > workspaceBytes * MOST_OVERFULL) {
      await watch.stop();
      throw overfull(watch.maxBytes, workspaceBytes);
    }
    const output = decodeOutput(context.onOutput);
    try {
      const script = await place(directory, request);
      // The time of what is written is that of the file system, and so is this.
      const { ctimeMs } = await stat(directory);
      const result = await runner.run({
        executionId: context.executionId,
        directory,
        script,
        args: request.args,
        workspace,
        env: options.env,
        network: request.networkEnabled,
        timeoutMs: request.timeoutMs,
        maxOutputBytes: maxOutputChars * BYTES_PER_CHARACTER,
        signal: AbortSignal.any([context.signal, watch.exceeded]),
        onOutput: output.write,
      });
      output.end();
      await watch.stop();
      // Another program of the tenant may get in the way; what is left then counts for the next.
      const removed = await trimWorkspace(workspace, watch.maxBytes, ctimeMs).catch(() => 0);
      const note = watch.exceeded.aborted || removed > 0 ? fullNote(removed) : '';
      return toAnswer(result, { maxOutputChars, durationMs: Math.round(performance.now() - startedAt), note });
    } finally {
      await watch.stop();
      await rm(directory, { recursive: true, force: true });
    }
  };
}

function overfull(used: number, limit: number): GatewayError {
  const message = `Nothing was run: the workspace takes ${used} bytes, and should take ${limit}. The operator of the gateway has to remove files.`;
  return new GatewayError('WorkspaceFull', message, { data: { used, limit } });
}

/** A directory with nothing in it, whatever a crash may have left. */
async function emptied(directory: string): Promise<string> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return realpath(directory);
}

/** Readable to whomever the sandbox runs programs as. */
async function place(directory: string, { file, text }: ScriptRequest): Promise<string> {
  const script = join(directory, file);
  await mkdir(directory);
  await writeFile(script, text);
  await chmod(directory, 0o755);
  await chmod(script, 0o644);
  return script;
}

function fullNote(removed: number): string {
  return `[The workspace is full. Of what was written, ${removed} bytes were removed again.]\n`;
}

interface AnswerGround {
  readonly maxOutputChars: number;
  readonly durationMs: number;
  /** What the sandbox has to say itself, before what the program said. */
  readonly note: string;
}

function toAnswer(result: ProgramResult, { maxOutputChars, durationMs, note }: AnswerGround): ScriptAnswer {
  if (!result.ok) throw new GatewayError('SandboxUnavailable', `Nothing was run. ${result.sentence}`);
  const { reason, exitCode, stdout, stderr } = result;
  const said = cutText(stdout.text, maxOutputChars);
  const complained = cutText(`${note}${stderr.text}`, maxOutputChars);
  return {
    success: reason === 'exit' && exitCode === 0 && note === '',
    exitCode,
    stdout: said,
    stderr: complained,
    truncated: [stdout, stderr].some((stream) => stream.truncated || stream.text.length > maxOutputChars),
    durationMs,
    killed: reason !== 'exit',
  };
}
