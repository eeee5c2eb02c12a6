import { withoutAbsent } from '../../../parse/json/json-source.ts';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { usageError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';
import { watchInterruption } from '../running/host-process.ts';
import { announce } from './banner.ts';
import { foundConfigQuestion } from './found-config-question.ts';
import { importGateway } from './gateway-module.ts';
import { openTrustStore } from '../trusting/trust-records.ts';

/** Runs the gateway until a signal ends it, which counts as success. */
export async function run(invocation: Invocation): Promise<number> {
  const { context, globals, options } = invocation;
  assertDirectories(invocation);
  const gateway = await importGateway(globals.cwd, openTrustStore(context));
  const interruption = watchInterruption(context);
  try {
    const serving = await gateway.serve({
      cwd: globals.cwd,
      env: context.env,
      file: options.text('config'),
      overrides: overridesOf(invocation),
      home: context.home,
      confirmConfig: foundConfigQuestion(invocation),
    });
    try {
      await announce(invocation, serving);
      if (!interruption.signal.aborted) await once(interruption.signal, 'abort');
    } finally {
      await serving.close();
    }
  } finally {
    interruption.stop();
  }
  return 0;
}

/** A `--dir` must exist: a typo must not start a gateway without skills. */
function assertDirectories({ globals: { cwd, dirs } }: Invocation): void {
  for (const dir of dirs) {
    const path = resolvePath(cwd, dir);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) continue;
    const what = found === undefined ? 'does not exist' : 'is not a directory';
    throw usageError(`--dir names ${dir}, which ${what}.`, ['Name a directory with skills in it.'], { path });
  }
}

/** The settings from the command line. The gateway validates them. */
function overridesOf({ options, globals }: Invocation): Record<string, unknown> {
  const port = options.text('port');
  return withoutAbsent({
    host: options.text('host'),
    port: port !== undefined && /^\d+$/.test(port) ? Number(port) : port,
    data: options.text('data'),
    skills: globals.dirs.length === 0 ? undefined : globals.dirs,
  });
}
