import { PROGRAM } from '../../../../spec/program.ts';
import { CliError } from '../../cli-error.ts';
import type { Invocation } from '../../command.ts';
import { findId, findKey } from '../find-id.ts';
import { findSkill } from '../skills/find-skill.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import type { Execution, RestAnswers, Skill } from '../client/rest-types.ts';
import type { ActionRequest } from '../run-action.ts';
import { createErrorOutput } from '../../output.ts';
import { readInput, watchInterruption } from '../../running/host-process.ts';
import { readToolInput, type Callable } from '../../running/tool-input.ts';
import { toBlock, toLine } from '../../text/terminal-text.ts';
import { isJsonObject, withoutAbsent } from '../../../../parse/json/json-source.ts';

/** The input of a package: its scripts and tools take the arguments. */
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

/**
 * Starts a skill and shows its output as it arrives; its result goes to standard output. Ctrl-C cancels the execution.
 */
export async function runSkill(request: ActionRequest): Promise<number> {
  const { invocation, client, words } = request;
  const { options, globals, context } = invocation;
  const [name = '', ...inputWords] = words;
  const skill = await skillFor(client, name);
  const input = await readToolInput(inputWords, callable(skill, name), {
    cwd: globals.cwd,
    readInput: () => readInput(context),
  });
  const apiKeyId = await keyOption(invocation, client);
  const sessionId = options.text('session');
  const order = {
    skillName: skill?.name ?? name,
    input,
    wait: false,
    ...withoutAbsent({ version: skill?.version, apiKeyId, sessionId }),
  };
  const { execution } = await client
    .send<RestAnswers['runSkill']>('POST', '/api/skills/executions', order)
    .catch((error: unknown) => {
      if (isAnothers(error, skill, apiKeyId)) throw withHint(error, hintOf(skill));
      throw isPackageInput(error, skill) ? withHint(error, packageHint(name)) : error;
    });
  return follow(request, execution.id, { cancels: true });
}

/** Follows an execution to its end. Ctrl-C stops following but does not cancel it. */
export async function watch(request: ActionRequest): Promise<number> {
  return follow(request, await findExecution(request.client, request.words[0] ?? ''), { cancels: false });
}

/** Finds an execution by the start of its id. */
export function findExecution(client: GatewayClient, word: string): Promise<string> {
  return findId(client, word, { path: '/api/skills/executions', noun: 'execution' });
}

/** Finds the key for `--key` by its id, the start of its id, or its name. */
export async function keyOption({ options }: Invocation, client: GatewayClient): Promise<string | undefined> {
  const word = options.text('key');
  return word === undefined ? undefined : findKey(client, word);
}

/** A gateway manager can see the skills of all keys, but can only run their own. */
function isAnothers(error: unknown, skill: Skill | undefined, key: string | undefined): error is CliError {
  const isUnknown = error instanceof CliError && error.data['code'] === 'UnknownSkill';
  return isUnknown && key === undefined && (skill?.apiKeyId ?? null) !== null;
}

function hintOf(skill: Skill | undefined): string {
  return `The skill belongs to the key ${skill?.apiKeyId}. To run it for that key, add --key ${skill?.apiKeyId}.`;
}

function isPackageInput(error: unknown, skill: Skill | undefined): error is CliError {
  return error instanceof CliError && error.data['code'] === 'InvalidInput' && skill?.kind === 'package';
}

function packageHint(name: string): string {
  return `Name its tool or its script: ${PROGRAM} executions run ${name} tool=<tool> 'arguments={"name":"value"}', or script=<path>`;
}

function withHint({ code, message, hints, data, exitCode }: CliError, hint: string): CliError {
  return new CliError(code, message, { hints: [...hints, hint], data, exitCode });
}

/**
 * Finds the skill of a name, for its schema. Returns `undefined` for a version range, which only the gateway resolves.
 */
async function skillFor(client: GatewayClient, name: string): Promise<Skill | undefined> {
  return /@[^\d]|@.*[ x*]/.test(name) ? undefined : findSkill(client, name);
}

function callable(skill: Skill | undefined, name: string): Callable {
  const command = `${PROGRAM} executions run`;
  if (skill === undefined || skill.kind === 'package') return { name, command, inputSchema: PACKAGE_INPUT };
  const { properties, required } = skill.schema.input;
  return {
    name,
    command,
    inputSchema: {
      type: 'object',
      properties: isJsonObject(properties) ? properties : {},
      required: Array.isArray(required) ? required.map(String) : [],
    },
  };
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
  let last: Execution | undefined;
  try {
    for await (const { type, data } of client.follow(`${path}/events`, interruption.signal)) {
      if (type === 'status') last = data['execution'] as Execution;
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

function report({ output, globals }: ActionRequest['invocation'], execution: Execution): number {
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
    toLine(execution.errorMessage ?? `The execution ended with the status ${execution.status}.`),
    {
      hints: [`${PROGRAM} executions show ${execution.id}`],
      data: { id: execution.id, status: execution.status, code: execution.errorCode },
    },
  );
}

function lostSight(id: string): CliError {
  return new CliError('GatewayUnreachable', `The connection to the gateway ended before the execution ${id} did.`, {
    hints: [`${PROGRAM} executions watch ${id} continues to follow it.`],
    data: { id },
  });
}
