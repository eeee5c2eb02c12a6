import { randomUUID } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import type { Interpreters } from '../process/interpreters.ts';
import type { EventListener } from '../spec/events.ts';
import type { ExecutionCode, SkillExecutionResult } from '../spec/execution.ts';
import type { Sandbox } from '../spec/sandbox.ts';

/** What every run of a runtime shares. */
export interface RunContext {
  readonly sandbox: Sandbox;
  readonly interpreters: Interpreters;
  readonly emit: EventListener;
}

/** Limits and surroundings of one run. */
export interface RunSettings {
  /** Where the program starts. */
  readonly cwd: string;
  /** The environment it is granted; nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Bytes kept of stdout and of stderr each. */
  readonly maxOutputBytes: number;
  readonly signal?: AbortSignal | undefined;
}

type Ending = Omit<SkillExecutionResult, 'durationMs' | 'executionId'>;

/** One recorded run: announced when it begins, and told once how it ended. */
export interface Execution {
  readonly id: string;
  output(stream: 'stdout' | 'stderr', chunk: Buffer): void;
  end(ending: Ending): SkillExecutionResult;
  /** Ended before anything was started. */
  fail(code: ExecutionCode, sentence: string): SkillExecutionResult;
}

export function beginExecution(context: RunContext, subject: { skill: string; script: string }): Execution {
  const id = randomUUID();
  const startedAt = performance.now();
  const { emit } = context;
  const { tier } = context.sandbox;
  // A character may be cut between two chunks.
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  emit({ type: 'execution-start', executionId: id, ...subject, tier });
  const end = (ending: Ending): SkillExecutionResult => {
    const result = { ...ending, durationMs: performance.now() - startedAt, executionId: id };
    const { success, exitCode, code, durationMs } = result;
    emit({
      type: 'execution-end',
      executionId: id,
      ...subject,
      tier,
      success,
      exitCode,
      code: code ?? null,
      durationMs,
    });
    return result;
  };
  return {
    id,
    output: (stream, chunk) =>
      emit({ type: 'execution-output', executionId: id, stream, text: decoders[stream].write(chunk) }),
    end,
    fail: (code, sentence) =>
      end({ success: false, stdout: '', stderr: '', exitCode: -1, code, error: `${code}: ${sentence}` }),
  };
}
