import { randomUUID } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { NO_OUTPUT, type CapturedOutput } from '../process/output-capture.ts';
import type { Redactor } from '../policy/redaction/redaction.ts';
import type { EventListener } from '../spec/events/events.ts';
import type { ExecutionCode, SkillExecutionResult } from '../spec/execution.ts';
import type { Logger } from '../spec/events/logger.ts';
import type { ExecutionEndReason, Recorder, ExecutionBeginning } from '../spec/recorder.ts';
import type { SandboxTier } from '../spec/sandbox.ts';
import type { SkillMetadata } from '../spec/skill.ts';
import { messageOf } from '../spec/errors/error.ts';

/** The observers of runs: the event listener, the recorder and the logger. */
export interface Witnesses {
  readonly emit: EventListener;
  readonly recorder: Recorder | undefined;
  readonly logger: Logger;
}

export interface ExecutionSubject extends Pick<
  ExecutionBeginning,
  'kind' | 'target' | 'args' | 'caller' | 'session' | 'tenant'
> {
  /** The id of the execution. Default: a random one. */
  readonly id?: string | undefined;
  readonly skill: SkillMetadata;
  /** The tier to run in; `null` if it cannot run. */
  readonly tier: SandboxTier | null;
  readonly redactor: Redactor;
}

/** How a run ended: its result without the common fields of executions. */
export interface ExecutionEnd {
  readonly reason: ExecutionEndReason;
  readonly success: boolean;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  readonly exitCode: number;
  readonly signal?: string | null | undefined;
  readonly code?: ExecutionCode | undefined;
  readonly sentence?: string | undefined;
  /** Where a handler failed: for people who inspect the run, not for the model. */
  readonly trace?: string | undefined;
  /** The tool's result. */
  readonly value?: unknown;
}

/** One recorded run: announced when it begins, with its end reported once. */
export interface Execution {
  readonly id: string;
  /** Why the run must not continue: its start could not be recorded. */
  readonly unrecorded: string | undefined;
  output(stream: 'stdout' | 'stderr', chunk: Buffer): void;
  end(end: ExecutionEnd): SkillExecutionResult;
  /** Ends the run before anything was started. */
  refuse(code: ExecutionCode, sentence: string): SkillExecutionResult;
}

/** The most characters of an error message, and of the beginning and the end of a stack trace. */
const MAX_ERROR = 8_000;

/** Records the start of a run. Resolves when the recorder has stored it; nothing may start before that. */
export async function beginExecution(subject: ExecutionSubject, witnesses: Witnesses): Promise<Execution> {
  const { emit, recorder, logger } = witnesses;
  const { kind, skill, target, tier, redactor } = subject;
  const id = subject.id ?? randomUUID();
  const startedAt = performance.now();
  const named = { executionId: id, kind, skill: skill.name, target, tier } as const;
  const unrecorded = await record(subject, id, recorder);
  emit({ type: 'execution-start', ...named });
  const live = { stdout: liveText(redactor), stderr: liveText(redactor) };

  const end = (ending: ExecutionEnd): SkillExecutionResult => {
    for (const stream of ['stdout', 'stderr'] as const) {
      const rest = live[stream].end(ending[stream].truncated);
      if (rest !== '') emit({ type: 'execution-output', executionId: id, stream, text: rest });
    }
    const trace = shownTrace(ending, redactor);
    if (trace !== '') emit({ type: 'execution-output', executionId: id, stream: 'stderr', text: trace });
    const result = toResult(ending, id, performance.now() - startedAt, redactor);
    const { success, exitCode, code = null, error = null, durationMs, stdout, stderr } = result;
    const { reason } = ending;
    const bytes = { stdoutBytes: ending.stdout.bytes, stderrBytes: ending.stderr.bytes };
    emit({ type: 'execution-end', ...named, reason, success, exitCode, code, durationMs, ...bytes });
    const value = ending.value === undefined ? null : redactor.redactValue(ending.value);
    const outcome = { reason, success, exitCode, code, error, tier, durationMs, stdout, stderr, ...bytes, value };
    const endedAt = new Date().toISOString();
    if (unrecorded === undefined && recorder !== undefined)
      void logIfLost(() => recorder.end({ executionId: id, ...outcome, endedAt }), logger, id);
    return result;
  };
  return {
    id,
    unrecorded,
    output(stream, chunk) {
      const text = live[stream].write(chunk);
      if (text !== '') emit({ type: 'execution-output', executionId: id, stream, text });
    },
    end,
    refuse: (code, sentence) =>
      end({ reason: 'refused', success: false, stdout: NO_OUTPUT, stderr: NO_OUTPUT, exitCode: -1, code, sentence }),
  };
}

async function record(
  { kind, skill, target, args, caller, session, tenant, redactor }: ExecutionSubject,
  executionId: string,
  recorder: Recorder | undefined,
): Promise<string | undefined> {
  if (recorder === undefined) return undefined;
  return settle(() =>
    recorder.begin({
      executionId,
      kind,
      skill: skill.name,
      version: skill.version ?? null,
      baseDir: skill.baseDir,
      target,
      args: redactor.redactValue(args),
      caller,
      session,
      tenant,
      trust: skill.trust,
      startedAt: new Date().toISOString(),
    }),
  );
}

async function logIfLost(write: () => void | Promise<void>, logger: Logger, executionId: string): Promise<void> {
  const error = await settle(write);
  if (error !== undefined) logger.error('The end of a run could not be recorded.', { executionId, error });
}

/** Does the work, and returns the message of its error; `undefined` if it succeeds. */
async function settle(work: () => void | Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Streams output without secrets and without splitting a character. */
function liveText(redactor: Redactor): { write(chunk: Buffer): string; end(isCut: boolean): string } {
  const redacted = redactor.stream();
  const decoder = new StringDecoder('utf8');
  return {
    write: (chunk) => decoder.write(Buffer.from(redacted.write(chunk))),
    // At a cut, the held bytes may be the start of a secret, so they are dropped.
    end: (isCut) => (isCut ? '' : decoder.end(Buffer.from(redacted.end()))),
  };
}

function toResult(
  ending: ExecutionEnd,
  executionId: string,
  durationMs: number,
  redactor: Redactor,
): SkillExecutionResult {
  const { reason, success, exitCode, signal, code, sentence, stdout, stderr } = ending;
  return {
    success,
    stdout: redactOutput(stdout, redactor),
    stderr: redactOutput(stderr, redactor) + shownTrace(ending, redactor),
    exitCode,
    ...(signal === undefined || signal === null ? {} : { signal }),
    ...(code === undefined ? {} : { code, error: shownError(`${code}: ${sentence ?? ''}`.trimEnd(), redactor) }),
    ...(reason === 'refused' || reason === 'not-started' ? { started: false } : {}),
    ...(stdout.truncated || stderr.truncated
      ? { truncated: { stdout: stdout.truncated, stderr: stderr.truncated } }
      : {}),
    durationMs,
    executionId,
  };
}

/** Cuts only after removing secrets, because half a secret is still a secret. */
export function shownError(text: string, redactor: Redactor): string {
  const shown = redactor.redactText(text);
  return shown.length > MAX_ERROR ? `${shown.slice(0, MAX_ERROR)}…` : shown;
}

/** The beginning and the end of a trace. */
function shownTrace({ trace, stderr }: ExecutionEnd, redactor: Redactor): string {
  if (trace === undefined || trace === '' || stderr.truncated) return '';
  const text = redactor.redactText(trace).trimEnd();
  const shown = text.length > 2 * MAX_ERROR ? `${text.slice(0, MAX_ERROR)}\n…\n${text.slice(-MAX_ERROR)}` : text;
  return `${stderr.text === '' || stderr.text.endsWith('\n') ? '' : '\n'}${shown}\n`;
}

function redactOutput({ text, truncated }: CapturedOutput, redactor: Redactor): string {
  if (!truncated) return redactor.redactText(text);
  // The last line is the mark for truncated output. If the cut was inside a secret, the secret's first part is among
  // the bytes that the stream holds back, which are dropped.
  const cut = text.lastIndexOf('\n');
  if (cut === -1) return text;
  const kept = redactor.stream().write(Buffer.from(text.slice(0, cut)));
  return Buffer.from(kept).toString() + text.slice(cut);
}
