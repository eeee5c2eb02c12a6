import { statSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { VERSION } from '../../../spec/version.ts';
import { usageError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';
import { watchInterruption } from '../running/host-process.ts';
import { importGateway, type ServingGateway } from '../serving/gateway-module.ts';
import { createShownPaths } from '../shown-path.ts';
import { toLine } from '../terminal-text.ts';

/** Runs the gateway until it is told to end, which is a success. */
export async function run(invocation: Invocation): Promise<number> {
  const { context, globals, options } = invocation;
  assertDirectories(invocation);
  const gateway = await importGateway(globals.cwd);
  const interruption = watchInterruption(context);
  try {
    const serving = await gateway.serve({
      cwd: globals.cwd,
      env: context.env,
      file: options.text('config'),
      overrides: overridesOf(invocation),
    });
    try {
      announce(invocation, serving);
      await untilAborted(interruption.signal);
    } finally {
      await serving.close();
    }
  } finally {
    interruption.stop();
  }
  return 0;
}

/** What is named on the command line is meant: a spelling mistake there must not start a gateway without skills. */
function assertDirectories({ globals: { cwd, dirs } }: Invocation): void {
  for (const dir of dirs) {
    const path = resolvePath(cwd, dir);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) continue;
    const what = found === undefined ? 'does not exist' : 'is no directory';
    throw usageError(`--dir names ${dir}, which ${what}.`, ['Name a directory with skills in it.'], { path });
  }
}

/** What the command line says, for the gateway to check. */
function overridesOf({ options, globals }: Invocation): Record<string, unknown> {
  const port = options.text('port');
  const given = {
    host: options.text('host'),
    port: port !== undefined && /^\d+$/.test(port) ? Number(port) : port,
    data: options.text('data'),
    skills: globals.dirs.length === 0 ? undefined : globals.dirs,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function announce({ context, output, globals }: Invocation, serving: ServingGateway): void {
  const { url, adminToken, configFile, warnings } = serving;
  const { data } = serving.gateway.config;
  if (globals.json) {
    output.json({ url, adminToken: adminToken ?? null, configFile: configFile ?? null, data, warnings });
    return;
  }
  const shown = createShownPaths(globals.cwd, context.home);
  output.line(`${output.style('good', '✓')} The gateway (${VERSION}) listens on ${output.style('name', url)}`);
  if (adminToken !== undefined) {
    output.line();
    output.line(`  Admin token: ${output.style('heading', adminToken)}`);
    output.line(
      output.style('dim', '  Keep it: it may do everything, and it is never shown again. For skillwright skills, keys'),
    );
    output.line(output.style('dim', '  and the examples of the documentation:'));
    output.line(`  export SKILLWRIGHT_TOKEN=${adminToken} SKILLWRIGHT_URL=${url}`);
    output.line();
  }
  for (const warning of warnings) output.line(`${output.style('warning', '!')} ${toLine(shown.text(warning))}`);
  output.line(`  Data: ${toLine(shown.path(data))}`);
  if (configFile !== undefined) output.line(`  Configuration: ${toLine(shown.path(configFile))}`);
  const { skills } = serving.gateway.skills.snapshot;
  const places = serving.gateway.config.skills.map((dir) => toLine(shown.path(dir)));
  output.line(`  Skills: ${skills.length} in ${places.join(', ')}`);
  const upstreams = upstreamsOf(serving);
  output.line(`  Models: ${['demo', ...upstreams].join(', ')}`);
  if (upstreams.length === 0)
    output.line(
      output.style('dim', '  For others, set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY.'),
    );
  output.line(`  Its REST API, to read and to try: ${url}/docs`);
  output.line();
  if (skills.some(({ name }) => name === TRIED_SKILL)) {
    output.line('  Try it, with the demo model, which follows rules and is no language model:');
    output.line(`  ${tryLine(url)}`);
    output.line();
  }
  output.line(output.style('dim', '  Ctrl-C ends it.'));
}

function upstreamsOf({ gateway }: ServingGateway): readonly string[] {
  return gateway.config.upstreams.map(({ id, models }) => `${id} (${models.join(', ')})`);
}

/** The skill that answers what is suggested. */
const TRIED_SKILL = 'word-count';

/** A request that this skill answers, for a shell. */
function tryLine(url: string): string {
  const messages = [{ role: 'user', content: 'How many words are in "to be or not to be"?' }];
  const body = JSON.stringify({ model: 'demo', messages });
  return `curl -s ${url}/v1/chat/completions -H 'content-type: application/json' -d '${body}'`;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
