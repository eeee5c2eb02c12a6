import { join } from 'node:path';
import type { SkillExecutionResult } from '../../../spec/execution.ts';
import type { SkillMetadata, SkillTool } from '../../../spec/skill.ts';
import type { Invocation } from '../command.ts';
import { joinWords } from '../text/joined-words.ts';
import { toLine } from '../text/terminal-text.ts';
import { adviseOn, type Advice } from './failure-advice.ts';
import { reportFailure, type RunReport } from './failure-report.ts';
import type { RunSession } from './run-session.ts';
import type { RunWishes } from './run-wishes.ts';
import { exampleHint } from './tool-input.ts';

/** A call that failed, and what is known of it. */
export interface FailedCall {
  readonly tool: SkillTool;
  readonly skill: SkillMetadata;
  readonly result: SkillExecutionResult;
  readonly wishes: RunWishes;
  readonly session: RunSession;
}

/** Says why a call failed: as JSON on standard output, or on standard error. */
export async function reportCallFailure(
  invocation: Invocation,
  call: FailedCall,
  shownBy: Pick<RunReport, 'live' | 'interruption'>,
): Promise<void> {
  const { context, globals, output } = invocation;
  const { tool, skill, result, session } = call;
  const { code, executionId, durationMs, stderr } = result;
  const advice = await adviseOn({ ...call, context, cwd: globals.cwd });
  const example = code === 'InvalidArguments' ? [exampleHint(tool)] : [];
  const where = locate(call, advice);
  const hints = [...example, ...where.hints, ...advice.hints];
  if (globals.json) {
    const names = { tool: tool.name, skill: skill.name, tier: session.facts.tier };
    output.json({
      error: { code, message: advice.message, data: { ...names, executionId, durationMs, stderr, hints } },
    });
  } else reportFailure(invocation, { code, message: advice.message, details: where.details, hints, ...shownBy });
}

/** Node tells the place of a mistake in a module only to those who run the file. */
const UNPLACED_MISTAKE = /^SyntaxError: .*\n\s+at compileSourceTextModule /m;

/** Which tool it was, and in which file: what a handler throws says neither. Its trace has been shown already. */
function locate({ tool, skill, result, session }: FailedCall, { message }: Advice): Located {
  const { script } = tool;
  if (script === undefined || result.code !== 'ExecutionFailed' || session.facts.reason !== 'exit')
    return { details: [], hints: [] };
  const name = `Tool '${tool.name}' of skill '${skill.name}'`;
  const file = session.shown.path(join(skill.baseDir, script));
  return {
    details: message.startsWith(name) ? [] : [`${name} failed in ${toLine(script)}.`],
    hints: UNPLACED_MISTAKE.test(result.stderr) ? [`node --check ${joinWords([file])} shows the line.`] : [],
  };
}

interface Located {
  readonly details: readonly string[];
  readonly hints: readonly string[];
}
