import { requireTool } from '../../../catalog/skill-lookup.ts';
import { handlerLanguage } from '../../../run/handler-language.ts';
import type { ToolCallResult } from '../../../run/call-tool.ts';
import type { SkillMetadata, SkillTool } from '../../../spec/skill.ts';
import { usageError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';
import { openSkills } from '../locations.ts';
import { readInput, watchInterruption, type Interruption } from '../running/host-process.ts';
import { requirementHints, reportFailure } from '../running/failure-report.ts';
import { createLiveOutput, type LiveOutput } from '../running/live-output.ts';
import { openRunSession, type RunSession } from '../running/run-session.ts';
import { assertWishes, readRunWishes, type RunWishes } from '../running/run-wishes.ts';
import { exampleHint, isToolInput, readToolInput } from '../running/tool-input.ts';
import { toBlock, toLine } from '../terminal-text.ts';
import { toolLines } from '../tool-lines.ts';

export async function run(invocation: Invocation): Promise<number> {
  const { positionals } = invocation;
  if (positionals.length === 0) return listTools(invocation);
  const place = positionals.findIndex((word) => !isToolInput(word));
  const name = positionals[place];
  if (name === undefined) throw usageError("'skillwright call' needs <tool>.", ['skillwright call lists the tools.']);
  const wishes = readRunWishes(invocation);
  const session = await openRunSession(invocation, wishes);
  try {
    return await callTool(invocation, session, { name, words: positionals.toSpliced(place, 1), wishes });
  } finally {
    await session.close();
  }
}

interface Wanted {
  readonly name: string;
  readonly words: readonly string[];
  readonly wishes: RunWishes;
}

async function callTool(invocation: Invocation, session: RunSession, { name, words, wishes }: Wanted): Promise<number> {
  const { context, globals } = invocation;
  const { record, tool } = requireTool(session.snapshot, name);
  const language = tool.script === undefined ? undefined : handlerLanguage(record, tool.script);
  assertWishes(wishes, record.metadata, language === 'javascript');
  const args = await readToolInput(words, tool, {
    cwd: globals.cwd,
    readInput: () => readInput(context),
  });
  const interruption = watchInterruption(context);
  const { signal } = interruption;
  const live = createLiveOutput(context, { trust: record.metadata.trust, stdoutTo: 'stderr', signal });
  // What a handler prints is no answer; what another program prints is, and comes once.
  session.showOutput(
    language === undefined ? { ...live, show: (stream, text) => stream === 'stderr' && live.show(stream, text) } : live,
  );
  const answer = await session.runtime.runner
    .callTool(record, tool, args, { signal })
    .finally(() => interruption.stop());
  if (!answer.isError) {
    printAnswer(invocation, answer.value);
    return 0;
  }
  reportAnswer(invocation, answer, { live, interruption, hints: hintsFor(answer, tool, record.metadata, session) });
  return interruption.exitCode() ?? 1;
}

/** JSON for programs; a person at a terminal reads a text as text. */
function printAnswer({ output, globals }: Invocation, value: unknown): void {
  if (typeof value !== 'string' || globals.json || !output.isTty) return output.json(value);
  const text = toBlock(value);
  output.exact(text.endsWith('\n') ? text : `${text}\n`);
}

interface Failure {
  readonly live: LiveOutput;
  readonly interruption: Interruption;
  readonly hints: readonly string[];
}

function reportAnswer(invocation: Invocation, { value, execution }: ToolCallResult, failure: Failure): void {
  const { output, globals } = invocation;
  if (!globals.json) return reportFailure(invocation, { result: execution, ...failure });
  const { error } = value as { readonly error: string };
  const { code, executionId, durationMs, stderr } = execution;
  output.json({ error: { code, message: error, data: { executionId, durationMs, stderr, hints: failure.hints } } });
}

function hintsFor({ execution }: ToolCallResult, tool: SkillTool, skill: SkillMetadata, session: RunSession): string[] {
  return execution.code === 'InvalidArguments' ? [exampleHint(tool)] : requirementHints(execution, skill, session);
}

function listTools(invocation: Invocation): number {
  const { output, globals } = invocation;
  const tools = [...openSkills(invocation).snapshot.tools.values()];
  if (globals.json) {
    output.json({
      tools: tools.map(({ skill, tool }) => ({
        name: tool.name,
        skill: skill.name,
        description: tool.description,
        inputSchema: tool.inputSchema,
      })),
    });
    return 0;
  }
  if (tools.length === 0) output.line('No skill here has tools: a tools.json beside SKILL.md declares them.');
  for (const name of new Set(tools.map(({ skill }) => skill.name))) {
    output.line(output.style('heading', toLine(name)));
    for (const { skill, tool } of tools) if (skill.name === name) output.lines(toolLines(output, tool));
    output.line();
  }
  if (tools.length > 0) output.line('To call one: skillwright call <tool> name=value …');
  return 0;
}
