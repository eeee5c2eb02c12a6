import { once } from 'node:events';
import { SkillsProvider } from '../../../faces/provider/skills-provider.ts';
import type { Runtime } from '../../../runtime.ts';
import { PROGRAM } from '../../../spec/program.ts';
import { CliError } from '../cli-error.ts';
import { readCount } from '../choosing/skill-ranking.ts';
import type { Invocation } from '../command.ts';
import { createErrorOutput, troubleLines, type Output } from '../output.ts';
import { endPipedInput, watchInterruption } from '../running/host-process.ts';
import { openRunSession, type RunSession } from '../running/run-session.ts';
import { readRunSettings, type RunSettings } from '../running/run-settings.ts';
import { createOutputFollowers } from './output-followers.ts';

/** How many bytes of each output stream a model gets, as everywhere in the library. */
const MAX_OUTPUT_BYTES = 20_480;

/** Serves skills over MCP until the client is gone or a signal ends it, which both count as success. */
export async function run(given: Invocation): Promise<number> {
  const { context, globals, options, positionals } = given;
  const invocation = { ...given, globals: { ...globals, dirs: [...globals.dirs, ...positionals] } };
  const settings = readRunSettings(invocation);
  const budgetTokens = options.text('budget') === undefined ? undefined : readCount(options, 'budget', 1);
  const outputs = createOutputFollowers();
  const errors = createErrorOutput(context);
  const interruption = watchInterruption(context);
  try {
    const session = await openRunSession(invocation, settings, {
      maxOutput: MAX_OUTPUT_BYTES,
      onEvent: outputs.listener,
    });
    try {
      const [surface] = await Promise.all([openSurface(context), session.runtime.runChecks.prepare(session.snapshot)]);
      const provider = openProvider(session, settings, { cwd: globals.cwd, budgetTokens });
      if (context.ask !== undefined) errors.lines(aboutLines(errors));
      const serving = surface.serveSkills(provider, {
        input: process.stdin,
        output: process.stdout,
        runtime: session.runtime,
        projectDir: globals.cwd,
        followOutput: outputs.follow,
        toolPerSkill: options.flag('tool-per-skill'),
        onError: ({ message }) => errors.lines(troubleLines(errors, 'warning', { message })),
      });
      const stop = interruption.signal;
      if (!stop.aborted) await Promise.race([serving.ended, once(stop, 'abort')]);
      await serving.close();
      await provider.close();
    } finally {
      session.runtime.catalog.close();
      await session.close();
    }
  } finally {
    interruption.stop();
    endPipedInput(context);
  }
  return 0;
}

function openSurface({ openMcp }: Invocation['context']): ReturnType<NonNullable<typeof openMcp>> {
  if (openMcp !== undefined) return openMcp();
  throw new CliError('Unexpected', 'This program was built without the MCP server.');
}

function openProvider(
  { runtime, snapshot }: RunSession,
  { workspace }: RunSettings,
  options: { readonly cwd: string; readonly budgetTokens: number | undefined },
): SkillsProvider {
  const hasWorkspace = workspace !== undefined && workspace !== 'none';
  const own = hasWorkspace ? runtime : inSkillDirectories(runtime);
  return new SkillsProvider(own, options, { snapshot, createSdkTools: () => [] });
}

/** Without access to the workspace, scripts run in the directory of their skill, as with `run`. */
function inSkillDirectories(runtime: Runtime): Runtime {
  const { runner } = runtime;
  return {
    ...runtime,
    runner: {
      ...runner,
      runScript: (record, script, args, options) =>
        runner.runScript(record, script, args, { ...options, cwd: undefined }),
    },
  };
}

/** A help text for a person who starts this command in a terminal. */
function aboutLines(output: Output): string[] {
  return [
    'This is an MCP server: a client starts it and talks to it on standard input and output.',
    output.style('dim', `${PROGRAM} mcp --help shows how to configure a client. Ctrl-C ends it.`),
  ];
}
