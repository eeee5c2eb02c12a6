import type { SkillExecutionResult } from '../../../spec/execution.ts';
import type { SkillMetadata } from '../../../spec/skill.ts';
import type { Invocation } from '../command.ts';
import { joinWords } from '../joined-words.ts';
import { createErrorOutput } from '../output.ts';
import { createShownPaths } from '../shown-path.ts';
import { toLine } from '../terminal-text.ts';
import type { Interruption } from './host-process.ts';
import type { LiveOutput } from './live-output.ts';
import type { RunSession } from './run-session.ts';

export interface RunReport {
  readonly result: SkillExecutionResult;
  readonly live: LiveOutput;
  readonly interruption: Interruption;
  readonly hints: readonly string[];
}

/** Says on standard error why a run failed. */
export function reportFailure(invocation: Invocation, { result, live, interruption, hints }: RunReport): void {
  const { context, globals } = invocation;
  const output = createErrorOutput(context);
  const { success, error } = result;
  // Who ended it knows why.
  if (interruption.signal.aborted || success) return;
  if (live.endsMidLine()) output.line();
  const shown = createShownPaths(globals.cwd, context.home);
  output.line(`${output.style('error', 'error:')} ${toLine(shown.text(error ?? 'It failed.'))}`);
  for (const hint of hints) output.line(output.style('dim', `  ${toLine(hint)}`));
}

/** What to do about something that is missing on this machine. */
export function requirementHints(
  { code }: SkillExecutionResult,
  { trust, requires, baseDir }: SkillMetadata,
  { facts, shown }: Pick<RunSession, 'facts' | 'shown'>,
): string[] {
  if (code !== 'RequirementsMissing') return [];
  if (facts.tier === null && trust !== 'trusted')
    return [
      `Install bubblewrap; or read the skill, and if you trust it: skillwright trust ${joinWords([shown.path(baseDir)])}`,
    ];
  return requires?.env === undefined ? [] : ['--env NAME passes a variable on, --env NAME=value sets it.'];
}
