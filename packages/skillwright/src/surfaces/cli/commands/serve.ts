import { VERSION } from '../../../spec/version.ts';
import type { Invocation } from '../command.ts';
import { watchInterruption } from '../running/host-process.ts';
import { importGateway, type ServingGateway } from '../serving/gateway-module.ts';
import { createShownPaths } from '../shown-path.ts';
import { toLine } from '../terminal-text.ts';

/** Runs the gateway until it is told to end, which is a success. */
export async function run(invocation: Invocation): Promise<number> {
  const { context, globals, options } = invocation;
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
  const { url, adminToken, configFile } = serving;
  const { data } = serving.gateway.config;
  if (globals.json) {
    output.json({ url, adminToken: adminToken ?? null, configFile: configFile ?? null, data });
    return;
  }
  const shown = createShownPaths(globals.cwd, context.home);
  output.line(`${output.style('good', '✓')} The gateway (${VERSION}) listens on ${output.style('name', url)}`);
  if (adminToken !== undefined) {
    output.line();
    output.line(`  Admin token: ${output.style('heading', adminToken)}`);
    output.line(output.style('dim', '  Keep it: it may do everything, and it is never shown again.'));
    output.line();
  }
  output.line(`  Data: ${toLine(shown.path(data))}`);
  if (configFile !== undefined) output.line(`  Configuration: ${toLine(shown.path(configFile))}`);
  const { length } = serving.gateway.skills.snapshot.skills;
  output.line(
    `  Skills: ${length} in ${serving.gateway.config.skills.map((dir) => toLine(shown.path(dir))).join(', ')}`,
  );
  output.line(`  Models: ${['demo', ...upstreamsOf(serving)].join(', ')}`);
  output.line();
  output.line('  Try it, with the demo model, which follows rules and is no language model:');
  output.line(`  ${tryLine(url)}`);
  output.line();
  output.line(output.style('dim', '  Ctrl-C ends it.'));
}

function upstreamsOf({ gateway }: ServingGateway): readonly string[] {
  return gateway.config.upstreams.map(({ id, models }) => `${id} (${models.join(', ')})`);
}

/** A request that a skill answers, for a shell. */
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
