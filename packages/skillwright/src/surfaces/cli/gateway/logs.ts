import { setTimeout as sleep } from 'node:timers/promises';
import type { Invocation } from '../command.ts';
import { executionLine } from './executions/executions.ts';
import type { GatewayClient } from './client/gateway-client.ts';
import type { Execution, RestAnswers } from './client/rest-types.ts';
import { withGateway } from './client/open-client.ts';
import { watchInterruption } from '../running/host-process.ts';
import { toJsonLine } from '../text/terminal-text.ts';

const DEFAULT_LIMIT = '20';
const EVERY_MS = 1000;
/** How many of the newest executions each request reads: enough not to miss any that began since the last request. */
const WINDOW = '200';

/**
 * Shows the newest executions, oldest first. With --follow, also shows new ones until Ctrl-C, which counts as success.
 */
export function run(invocation: Invocation): Promise<number> {
  const { options, context } = invocation;
  return withGateway(invocation, async (client) => {
    const interruption = watchInterruption(context);
    try {
      const first = await newest(invocation, client, options.text('limit') ?? DEFAULT_LIMIT);
      const since = first.at(-1)?.createdAt ?? 0;
      let known = print(invocation, first, new Map());
      while (options.flag('follow') && (await pause(interruption.signal))) {
        const looked = await newest(invocation, client, WINDOW);
        known = print(
          invocation,
          looked.filter(({ id, createdAt }) => createdAt >= since || known.has(id)),
          known,
        );
      }
      return 0;
    } finally {
      interruption.stop();
    }
  });
}

async function newest({ options }: Invocation, client: GatewayClient, limit: string): Promise<Execution[]> {
  const { data } = await client.get<RestAnswers['listExecutions']>('/api/skills/executions', {
    status: options.text('status'),
    skill: options.text('skill'),
    limit,
  });
  return data.toReversed();
}

/** Prints executions that are new or whose status has changed. Returns the status of each. */
function print(
  { output, globals }: Invocation,
  executions: readonly Execution[],
  known: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  for (const execution of executions) {
    if (known.get(execution.id) === execution.status) continue;
    if (globals.json) output.exact(`${toJsonLine(execution)}\n`);
    else output.line(executionLine(output, execution));
  }
  return new Map(executions.map(({ id, status }) => [id, status]));
}

async function pause(signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(EVERY_MS, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}
