import { basename } from 'node:path';
import { normalize } from 'node:path/posix';
import type { SkillRecord } from '../../../catalog/snapshot/skill-record.ts';
import { requireSkill } from '../../../catalog/lookup/skill-lookup.ts';
import { isRunnable } from '../../../catalog/lookup/runnable-file.ts';
import { closestName } from '../../../parse/closest-name.ts';
import { SkillwrightError } from '../../../spec/errors/error.ts';
import type { SkillExecutionResult } from '../../../spec/execution.ts';
import { PROGRAM } from '../../../spec/program.ts';
import type { SkillMetadata } from '../../../spec/skill.ts';
import type { Invocation } from '../command.ts';
import { reportError } from '../error-report.ts';
import { createErrorOutput } from '../output.ts';
import { exitCodeOfLookup, exitCodeOfRun } from './exit-code.ts';
import { endPipedInput, pipedInput, watchInterruption } from './host-process.ts';
import { createLiveOutput } from './live-output.ts';
import { adviseOn, type Advice, reportFailure } from './failure-advice.ts';
import { openRunSession, type RunSession } from './run-session.ts';
import { assertRunSettings, readRunSettings, type RunSettings } from './run-settings.ts';
import { toLine } from '../text/terminal-text.ts';

const SCRIPTS_SHOWN = 10;

export async function run(invocation: Invocation): Promise<number> {
  const { positionals, context, globals } = invocation;
  const settings = readRunSettings(invocation);
  const session = await openRunSession(invocation, settings);
  try {
    const record = requireSkill(session.snapshot, positionals[0] ?? '');
    assertRunSettings(settings, record.metadata, false);
    return await runScript(invocation, session, record, settings);
  } catch (error) {
    if (!SkillwrightError.isInstance(error)) throw error;
    reportError(error, context, globals);
    return exitCodeOfLookup(error.code);
  } finally {
    await session.close();
  }
}

async function runScript(
  invocation: Invocation,
  session: RunSession,
  record: SkillRecord,
  settings: RunSettings,
): Promise<number> {
  const { context, globals, output, positionals } = invocation;
  const [, script = '', ...args] = positionals;
  const interruption = watchInterruption(context);
  const { signal } = interruption;
  const live = createLiveOutput(context, { trust: record.metadata.trust, stdoutTo: 'stdout', signal });
  // With access to the workspace, a script runs in the working directory; otherwise in its skill's directory.
  const cwd = settings.workspace === undefined || settings.workspace === 'none' ? undefined : globals.cwd;
  const result = await session.runtime.runner
    .runScript(record, script, args, {
      stdin: pipedInput(context),
      signal,
      cwd,
      onOutput: globals.json ? undefined : (stream, chunk) => live.show(stream, chunk),
    })
    .finally(() => {
      interruption.stop();
      endPipedInput(context);
    });
  const { tier, reason } = session.facts;
  const skill = record.metadata;
  const advise = (): Advice | Promise<Advice> =>
    result.code === 'ScriptNotFound'
      ? scriptAdvice(record, session, script)
      : adviseOn({ result, skill, settings, session, context, cwd: globals.cwd, args });
  const failure = result.success ? undefined : await advise();
  if (globals.json) output.json({ skill: skill.name, script, tier, ...toJson(result, failure) });
  else if (failure !== undefined) reportFailure(invocation, { code: result.code, ...failure, live, interruption });
  else if (result.stdout === '' && result.stderr === '') createErrorOutput(context).lines(handlerLines(skill, script));
  return exitCodeOfRun(result, reason, interruption.exitCode());
}

/** A handler that is run as a program does nothing and succeeds, so explain how to call it. */
function handlerLines({ name, tools }: SkillMetadata, script: string): string[] {
  const tool = tools.find((item) => item.script !== undefined && normalize(item.script) === normalize(script));
  if (tool === undefined) return [];
  return [
    `The script printed nothing, because ${toLine(script)} is the handler of the tool '${toLine(tool.name)}' of skill '${toLine(name)}'.`,
    `  To call the tool: ${PROGRAM} call ${toLine(tool.name)} name=value …`,
  ];
}

/** The result, with its error in the same shape as all command-line errors. */
function toJson({ code, error: _text, ...result }: SkillExecutionResult, failure: Advice | undefined): object {
  if (failure === undefined) return result;
  const { message, hints } = failure;
  return { ...result, error: { code, message, data: hints.length === 0 ? {} : { hints } } };
}

/** Replaces the library's message, because the hints say the same. */
function scriptAdvice(record: SkillRecord, { runtime, shown }: RunSession, script: string): Advice {
  const { name, baseDir } = record.metadata;
  const { files } = runtime.catalog.files(record).list(runtime.limits.maxListedFiles);
  const paths = files.filter(isRunnable).map(({ path }) => path);
  const message = `Skill '${name}' has no file '${script}' (looked in ${shown.path(baseDir)}).`;
  if (paths.length === 0) return { message, hints: [`Skill '${name}' has no scripts.`] };
  const guess = paths.find((path) => basename(path) === basename(script)) ?? closestName(script, paths);
  const first = paths.slice(0, SCRIPTS_SHOWN).join(', ') + (paths.length > SCRIPTS_SHOWN ? ', …' : '');
  return { message, hints: [...(guess === undefined ? [] : [`Did you mean ${guess}?`]), `Scripts: ${first}.`] };
}
