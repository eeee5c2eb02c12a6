import { CliError } from '../cli-error.ts';
import { findSkill } from '../gateway-client/find-skill.ts';
import type { GatewayClient } from '../gateway-client/gateway-client.ts';
import type { ExecutionRow, SkillRow } from '../gateway-client/gateway-records.ts';
import type { ActionRequest } from '../gateway-client/run-action.ts';
import { createErrorOutput } from '../output.ts';
import { readInput, watchInterruption } from '../running/host-process.ts';
import { readToolInput, type Callable } from '../running/tool-input.ts';
import { toBlock, toLine } from '../terminal-text.ts';

/** What a package takes: it is run by its scripts and tools. */
const PACKAGE_INPUT = {
  type: 'object',
  properties: {
    script: { type: 'string' },
    args: { type: 'array' },
    stdin: { type: 'string' },
    tool: { type: 'string' },
    arguments: { type: 'object' },
  },
} as const;

const ENDED = new Set(['success', 'error', 'timeout', 'cancelled']);

/** Starts a skill and shows what it prints as it comes; its answer goes to standard output. Ctrl-C cancels it. */
export async function runSkill(request: ActionRequest): Promise<number> {
  const { invocation, client, words } = request;
  const { options, globals, context } = invocation;
  const [name = '', ...inputWords] = words;
  const skill = await skillFor(client, name);
  const input = await readToolInput(inputWords, callable(skill, name), {
    cwd: globals.cwd,
    readInput: () => readInput(context),
  });
  const apiKeyId = options.text('key');
  const sessionId = options.text('session');
  const { execution } = await client.send<{ readonly execution: ExecutionRow }>('POST', '/api/skills/executions', {
    skillName: skill?.name ?? name,
    ...(skill === undefined ? {} : { version: skill.version }),
    input,
    wait: false,
    ...(apiKeyId === undefined ? {} : { apiKeyId }),
    ...(sessionId === undefined ? {} : { sessionId }),
  });
  return follow(request, execution.id, { cancels: true });
}

/** Follows an execution to its end; Ctrl-C only stops looking. */
export function watch(request: ActionRequest): Promise<number> {
  return follow(request, request.words[0] ?? '', { cancels: false });
}

/** A range is for the gateway to resolve; anything else is looked up, for its schema. */
async function skillFor(client: GatewayClient, name: string): Promise<SkillRow | undefined> {
  return /@[^\d]|@.*[ x*]/.test(name) ? undefined : findSkill(client, name);
}

function callable(skill: SkillRow | undefined, name: string): Callable {
  const command = 'skillwright executions run';
  if (skill === undefined || skill.kind === 'package') return { name, command, inputSchema: PACKAGE_INPUT };
  const { properties, required } = skill.schema.input;
  return {
    name,
    command,
    inputSchema: {
      type: 'object',
      properties: isObject(properties) ? properties : {},
      required: Array.isArray(required) ? required.map(String) : [],
    },
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function follow(
  { invocation, client }: ActionRequest,
  id: string,
  { cancels }: { readonly cancels: boolean },
): Promise<number> {
  const { context } = invocation;
  const path = `/api/skills/executions/${encodeURIComponent(id)}`;
  const interruption = watchInterruption(context);
  const errors = createErrorOutput(context);
  let last: ExecutionRow | undefined;
  try {
    for await (const { type, data } of client.follow(`${path}/events`, interruption.signal)) {
      if (type === 'status') last = data['execution'] as ExecutionRow;
      else if (type === 'output') errors.exact(toBlock(String(data['text'])));
    }
    if (interruption.signal.aborted) {
      if (cancels) await client.send('POST', `${path}/cancel`).catch(() => undefined);
      return interruption.exitCode() ?? 130;
    }
  } finally {
    interruption.stop();
  }
  if (last === undefined || !ENDED.has(last.status)) throw lostSight(id);
  return report(invocation, last);
}

function report({ output, globals }: ActionRequest['invocation'], execution: ExecutionRow): number {
  if (globals.json) {
    output.json(execution);
    return execution.status === 'success' ? 0 : 1;
  }
  if (execution.status === 'success') {
    if (typeof execution.output === 'string') output.line(toBlock(execution.output));
    else output.json(execution.output ?? null);
    return 0;
  }
  throw new CliError(
    'ExecutionFailed',
    toLine(execution.errorMessage ?? `The execution ended as ${execution.status}.`),
    {
      hints: [`skillwright executions show ${execution.id}`],
      data: { id: execution.id, status: execution.status, code: execution.errorCode },
    },
  );
}

function lostSight(id: string): CliError {
  return new CliError('GatewayUnreachable', `The gateway stopped telling about the execution ${id} before it ended.`, {
    hints: [`skillwright executions watch ${id} looks again.`],
    data: { id },
  });
}
