import { join } from 'node:path';
import { requireTool } from '../../../catalog/lookup/skill-lookup.ts';
import type { Snapshot } from '../../../catalog/snapshot/snapshot.ts';
import { handlerLanguage } from '../../../run/handlers/handler-language.ts';
import { SkillwrightError } from '../../../spec/errors/error.ts';
import type { SkillExecutionResult } from '../../../spec/execution.ts';
import { PROGRAM } from '../../../spec/program.ts';
import type { SkillMetadata, SkillTool } from '../../../spec/skill.ts';
import { CliError, usageError } from '../cli-error.ts';
import { printAnswer, type Invocation } from '../command.ts';
import { openSkills } from '../finding/locations.ts';
import { toolLines } from '../finding/tool-lines.ts';
import { joinWords, toBlock, toLine } from '../text/terminal-text.ts';
import { type Advice, adviseOn, reportFailure, type RunReport } from './failure-advice.ts';
import { readInput, watchInterruption } from './host-process.ts';
import { createLiveOutput } from './live-output.ts';
import { openRunSession, type RunSession } from './run-session.ts';
import { assertRunSettings, readRunSettings, type RunSettings } from './run-settings.ts';
import { exampleHint, isToolInput, readToolInput } from './tool-input.ts';

/** A failed call with its context. */
interface FailedCall {
  readonly tool: SkillTool;
  readonly skill: SkillMetadata;
  readonly result: SkillExecutionResult;
  readonly settings: RunSettings;
  readonly session: RunSession;
}

/** A syntax error in a module, without its position. Node shows the position only when it runs the file. */
const UNPLACED_MISTAKE = /^SyntaxError: .*\n\s+at compileSourceTextModule /m;

interface Located {
  readonly details: readonly string[];
  readonly hints: readonly string[];
}

export async function run(invocation: Invocation): Promise<number> {
  const { positionals } = invocation;
  if (positionals.length === 0) return listTools(invocation);
  const place = positionals.findIndex((word) => !isToolInput(word));
  const name = positionals[place];
  if (name === undefined) throw usageError(`'${PROGRAM} call' needs <tool>.`, [`${PROGRAM} call lists the tools.`]);
  const settings = readRunSettings(invocation);
  const session = await openRunSession(invocation, settings);
  try {
    return await callTool(invocation, session, { name, words: positionals.toSpliced(place, 1), settings });
  } finally {
    await session.close();
  }
}

interface Wanted {
  readonly name: string;
  readonly words: readonly string[];
  readonly settings: RunSettings;
}

async function callTool(
  invocation: Invocation,
  session: RunSession,
  { name, words, settings }: Wanted,
): Promise<number> {
  const { context, globals } = invocation;
  const { record, tool } = findTool(session.snapshot, name);
  const language = tool.script === undefined ? undefined : handlerLanguage(record, tool.script);
  assertRunSettings(settings, record.metadata, language === 'javascript');
  const args = await readToolInput(words, tool, {
    cwd: globals.cwd,
    readInput: () => readInput(context),
  });
  const interruption = watchInterruption(context);
  const { signal } = interruption;
  const live = createLiveOutput(context, { trust: record.metadata.trust, stdoutTo: 'stderr', signal });
  // A handler's printed output is not its result; another program's output is, and is shown once.
  session.showOutput(
    language === undefined ? { ...live, show: (stream, text) => stream === 'stderr' && live.show(stream, text) } : live,
  );
  const answer = await session.runtime.runner
    .callTool(record, tool, args, { signal })
    .finally(() => interruption.stop());
  if (!answer.isError) {
    printValue(invocation, answer.value);
    return 0;
  }
  const call = { tool, skill: record.metadata, result: answer.execution, settings, session };
  await reportCallFailure(invocation, call, { live, interruption });
  return interruption.exitCode() ?? (answer.execution.code === 'SkillBlocked' ? 126 : 1);
}

/** Finds a tool like the library does. If the name is a skill's, the error lists that skill's tools. */
function findTool(snapshot: Snapshot, name: string): ReturnType<typeof requireTool> {
  try {
    return requireTool(snapshot, name);
  } catch (error) {
    const skill = SkillwrightError.isInstance(error) && error.code === 'ToolNotFound' ? snapshot.find(name) : undefined;
    if (skill === undefined) throw error;
    const { name: owner, tools } = skill.metadata;
    const hints =
      tools.length === 0
        ? [`It has no tools. To run its scripts: ${PROGRAM} run ${owner} <script>`]
        : [`Its tools: ${tools.map((tool) => tool.name).join(', ')}.`];
    throw new CliError('ToolNotFound', `'${name}' is a skill, not a tool.`, {
      hints,
      data: { tool: name, skill: owner },
    });
  }
}

/** JSON for programs. At a terminal, a text result is printed as text. */
function printValue({ output, globals }: Invocation, value: unknown): void {
  if (typeof value !== 'string' || globals.json || !output.isTty) return output.json(value);
  const text = toBlock(value);
  output.exact(text.endsWith('\n') ? text : `${text}\n`);
}

function listTools(invocation: Invocation): number {
  const { output } = invocation;
  const tools = [...openSkills(invocation).snapshot.tools.values()];
  const answer = tools.map(({ skill, tool: { name, description, inputSchema } }) => {
    return { name, skill: skill.name, description, inputSchema };
  });
  return printAnswer(invocation, { tools: answer }, () => {
    if (tools.length === 0)
      return ['No skill here has tools. A skill declares tools in a tools.json next to its SKILL.md.'];
    const lines = [...Map.groupBy(tools, ({ skill }) => skill.name)].flatMap(([name, own]) => [
      output.style('heading', toLine(name)),
      ...own.flatMap(({ tool }) => toolLines(output, tool)),
      '',
    ]);
    return [...lines, `To call one: ${PROGRAM} call <tool> name=value …`];
  });
}

/** Reports why a call failed: as JSON on standard output, or as text on standard error. */
async function reportCallFailure(
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

/** Names the tool and its file, because a handler's error contains neither. Its stack trace has already been shown. */
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
