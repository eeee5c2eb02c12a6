import type { Snapshot } from '../../../catalog/snapshot/snapshot.ts';
import type { JsonlRecorder } from '../../../record/files/jsonl-recorder.ts';
import { createRuntime, type Runtime } from '../../../runtime.ts';
import type { EventListener } from '../../../spec/events/events.ts';
import type { ExecutionEndReason } from '../../../spec/recorder.ts';
import type { SandboxTier } from '../../../spec/sandbox.ts';
import type { Invocation } from '../command.ts';
import type { CliContext } from '../context.ts';
import { openPlaces } from '../finding/locations.ts';
import { createErrorOutput, troubleLines } from '../output.ts';
import type { ShownPaths } from '../text/shown-path.ts';
import { followTrust, trustRule } from '../../../sources/trust/trust-rule.ts';
import type { LiveOutput } from './live-output.ts';
import { toRunningOptions, type RunSettings } from './run-settings.ts';

/** What the run's events reported. */
export interface RunFacts {
  /** The tier that the run used or would have used; `null` if it could not run. */
  tier: SandboxTier | null;
  reason: ExecutionEndReason | undefined;
}

/** The command line's skills, ready for one run. */
export interface RunSession {
  readonly runtime: Runtime;
  readonly snapshot: Snapshot;
  readonly shown: ShownPaths;
  readonly facts: RunFacts;
  /** Shows output from now on. */
  showOutput(live: LiveOutput): void;
  /** Ends running programs and closes the record. */
  close(): Promise<void>;
}

/** Options of commands that run several things. */
export interface RunSessionOptions {
  /** Bytes of each stream that results keep. Default 10 MiB. */
  readonly maxOutput?: number | undefined;
  /** Gets the events of all runs. */
  readonly onEvent?: EventListener | undefined;
}

export async function openRunSession(
  invocation: Invocation,
  settings: RunSettings,
  options: RunSessionOptions = {},
): Promise<RunSession> {
  const { context, globals } = invocation;
  const { sources, shown, trust } = openPlaces(invocation);
  const recorder = await openRecorder(settings.recordFile, context);
  const facts: RunFacts = { tier: null, reason: undefined };
  let live: LiveOutput | undefined;
  const onEvent: EventListener = (event) => {
    options.onEvent?.(event);
    if (event.type === 'execution-start') facts.tier = event.tier;
    if (event.type === 'execution-output') live?.show(event.stream, event.text);
    if (event.type === 'execution-end') facts.reason = event.reason;
  };
  const running = toRunningOptions(settings, context);
  const runtime = createRuntime({
    ...running,
    maxOutput: options.maxOutput ?? running.maxOutput,
    sources,
    trust: trustRule(trust, { named: globals.dirs.length > 0 }),
    strict: globals.strict,
    projectDir: globals.cwd,
    recorder,
    onEvent,
  });
  const snapshot = runtime.catalog.refreshSync();
  // If the skill is blocked during the run, the run ends.
  const unfollow = followTrust(trust, () => void runtime.catalog.refresh().catch(() => undefined));
  return {
    runtime,
    snapshot,
    shown,
    facts,
    showOutput: (output) => void (live = output),
    async close() {
      unfollow();
      await runtime.runner.close();
      await recorder?.close();
    },
  };
}

async function openRecorder(path: string | undefined, context: CliContext): Promise<JsonlRecorder | undefined> {
  if (path === undefined) return undefined;
  const { createJsonlRecorder } = await import('../../../record/files/jsonl-recorder.ts');
  const output = createErrorOutput(context);
  const onError = ({ message }: Error): void => output.lines(troubleLines(output, 'warning', { message }));
  return createJsonlRecorder(path, { onError });
}
