import type { Invocation } from '../command.ts';
import { createErrorOutput } from '../output.ts';
import { toLine } from '../text/terminal-text.ts';
import type { SkillExecutionResult } from '../../../spec/execution.ts';
import type { Advice } from './failure-advice.ts';
import type { Interruption } from './host-process.ts';
import type { LiveOutput } from './live-output.ts';

export interface RunReport extends Advice {
  readonly code: SkillExecutionResult['code'];
  /** Lines between the message and the hints: where it happened. */
  readonly details?: readonly string[];
  readonly live: LiveOutput;
  readonly interruption: Interruption;
}

/** Says on standard error why a run failed. What a program says of its own is left as it is, paths too. */
export function reportFailure({ context }: Pick<Invocation, 'context'>, report: RunReport): void {
  const { code, message, details = [], hints, live, interruption } = report;
  // Who ended it knows why.
  if (interruption.signal.aborted) return;
  const output = createErrorOutput(context);
  if (live.endsMidLine()) output.line();
  output.line(`${output.style('error', 'error:')} ${toLine(code === undefined ? message : `${code}: ${message}`)}`);
  for (const line of details) output.line(`  ${line}`);
  for (const hint of hints) output.line(output.style('dim', `  ${toLine(hint)}`));
}
