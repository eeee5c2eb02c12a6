import type { ExecutionBeginning, ExecutionEnding } from '../../packages/skillwright/src/spec/recorder.ts';

/** The record of a runner before it starts something. */
export function sampleBeginning(executionId: string, more: Partial<ExecutionBeginning> = {}): ExecutionBeginning {
  return {
    executionId,
    kind: 'script',
    skill: 'pdf',
    version: null,
    baseDir: '/skills/pdf',
    target: 'scripts/tables.py',
    args: ['--tables'],
    caller: 'model',
    session: null,
    tenant: null,
    trust: 'trusted',
    startedAt: '2026-01-01T00:00:00.000Z',
    ...more,
  };
}

/** The record of a runner after the end. */
export function sampleEnding(executionId: string, more: Partial<ExecutionEnding> = {}): ExecutionEnding {
  return {
    executionId,
    reason: 'exit',
    success: true,
    exitCode: 0,
    code: null,
    error: null,
    tier: 'process',
    durationMs: 12.5,
    stdout: 'one\ntwo\n',
    stderr: '',
    stdoutBytes: 8,
    stderrBytes: 0,
    value: null,
    endedAt: '2026-01-01T00:00:01.000Z',
    ...more,
  };
}

/** All results of one reading. */
export async function collect<T>(reading: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const entry of reading) found.push(entry);
  return found;
}
