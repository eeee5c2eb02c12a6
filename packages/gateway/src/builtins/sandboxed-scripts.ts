import { randomUUID } from 'node:crypto';
import { chmod, mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProgramResult, ProgramRunner } from 'skillwright/host';
import type { HandlerContext } from '../executions/executor.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import { cutText, decodeOutput } from './program-output.ts';
import type { Clearing, WorkspaceKeeper } from './workspace/workspace-keeper.ts';
import { MAX_DEPTH } from './workspace/workspace-walk.ts';

export interface SandboxedScriptsOptions {
  readonly runner: ProgramRunner;
  /** The directory for scripts while they run. Every other file in the directory is deleted. */
  readonly scriptsDir: string;
  readonly workspaceOf: (tenant: string) => string;
  readonly env: Readonly<Record<string, string>>;
  readonly keeper: Pick<WorkspaceKeeper, 'enter'>;
  readonly maxOutputChars: number;
  /** Whether a script may ask for the network. */
  readonly networkEnabled: boolean;
}

export interface ScriptRequest {
  /** The file name, whose extension selects the interpreter. */
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
  /** Whether the program was ended because it took too long, was canceled or filled its workspace. */
  readonly killed: boolean;
}

export type RunScript = (request: ScriptRequest, context: HandlerContext) => Promise<ScriptAnswer>;

/** The most UTF-8 bytes that one UTF-16 code unit needs. */
const BYTES_PER_CHARACTER = 3;

/** Runs texts as scripts in a sandbox, in the workspace of the caller's key. */
export function createSandboxedScripts(options: SandboxedScriptsOptions): RunScript {
  const { runner, workspaceOf, keeper, maxOutputChars } = options;
  let ready: Promise<string> | undefined;
  return async (request, context) => {
    if (request.networkEnabled && !options.networkEnabled)
      throw new GatewayError(
        'InvalidInput',
        "The gateway's operator does not allow programs to use the network. Call again without 'networkEnabled'.",
        { data: { setting: 'builtins.sandboxNetworkEnabled' } },
      );
    // If the first call fails to make the directory, the next call tries again.
    const scripts = await (ready ??= emptied(options.scriptsDir).catch((error: unknown) => {
      ready = undefined;
      throw error;
    }));
    const directory = join(scripts, randomUUID());
    const workspace = await realpath(workspaceOf(context.apiKeyId ?? ''));
    const startedAt = performance.now();
    const stay = await keeper.enter(workspace, context.executionId);
    // Until the program's start time is known, no file counts as changed by the program.
    let sinceMs = Infinity;
    let cleared: Promise<Clearing> | undefined;
    const leave = (): Promise<Clearing> => (cleared ??= stay.leave(sinceMs));
    const output = decodeOutput(context.onOutput);
    try {
      const script = await place(directory, request);
      // Uses the file system's clock, because files get their times from it.
      ({ ctimeMs: sinceMs } = await stat(directory));
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
        signal: AbortSignal.any([context.signal, stay.exceeded]),
        onTier: context.onTier,
        onOutput: output.write,
      });
      output.end();
      const note = noteOn(await leave(), result);
      return toAnswer(result, { maxOutputChars, durationMs: Math.round(performance.now() - startedAt), note });
    } finally {
      await leave();
      await rm(directory, { recursive: true, force: true });
    }
  };
}

/** Empties a directory, including files that a crash left. */
async function emptied(directory: string): Promise<string> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return realpath(directory);
}

/** Makes the script readable to the user that the sandbox runs programs as. */
async function place(directory: string, { file, text }: ScriptRequest): Promise<string> {
  const script = join(directory, file);
  await mkdir(directory);
  await writeFile(script, text);
  await chmod(directory, 0o755);
  await chmod(script, 0o644);
  return script;
}

/** Tells the model that the program used too much of a resource. Empty if the program did not. */
function noteOn({ shortage, removed, cut, goesOn }: Clearing, result: ProgramResult): string {
  const exceeded = result.ok ? result.exceeded : undefined;
  if (shortage === 'memory' || exceeded === 'memory') return '[The program used too much memory and was stopped.]\n';
  if (exceeded === 'files') return '[The program created too many temporary files and was stopped.]\n';
  if (shortage === 'disk' && !hasSucceeded(result))
    return "[The gateway's disk is nearly full, so running programs were stopped.]\n";
  if (shortage !== 'workspace' && removed === 0 && cut === 0 && !goesOn) return '';
  const deep = cut === 0 ? '' : ` Directories more than ${MAX_DEPTH} levels deep were deleted.`;
  const rest = goesOn
    ? 'The gateway is deleting the excess files.'
    : `The gateway deleted ${removed} bytes that the program wrote.`;
  return `[The workspace is full. ${rest}${deep}]\n`;
}

function hasSucceeded(result: ProgramResult): boolean {
  return result.ok && result.reason === 'exit' && result.exitCode === 0;
}

interface AnswerGround {
  readonly maxOutputChars: number;
  readonly durationMs: number;
  /** The sandbox's own message, shown before the program's output. */
  readonly note: string;
}

function toAnswer(result: ProgramResult, { maxOutputChars, durationMs, note }: AnswerGround): ScriptAnswer {
  if (!result.ok) throw new GatewayError('SandboxUnavailable', `Nothing ran. ${result.sentence}`);
  const { reason, exitCode, exceeded, stdout, stderr } = result;
  const said = cutText(stdout.text, maxOutputChars);
  const complained = cutText(`${note}${stderr.text}`, maxOutputChars);
  return {
    success: hasSucceeded(result) && note === '',
    exitCode,
    stdout: said,
    stderr: complained,
    truncated: [stdout, stderr].some((stream) => stream.truncated || stream.text.length > maxOutputChars),
    durationMs,
    killed: reason !== 'exit' || exceeded !== undefined,
  };
}
