import { PROGRAM } from '../../../spec/program.ts';
import { closestName } from '../../../parse/closest-name.ts';
import { usageError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';
import type { GatewayClient } from './client/gateway-client.ts';
import { withGateway } from './client/open-client.ts';

export interface ActionRequest {
  readonly invocation: Invocation;
  readonly client: GatewayClient;
  /** The arguments after the name of the action. */
  readonly words: readonly string[];
}

/** An action on a gateway, such as `skills enable`. */
export interface GatewayAction {
  /** The arguments of the action as help shows them: `<skill>`, `[text…]`. */
  readonly words: readonly string[];
  /** Runs the action, and returns the exit code. */
  readonly run: (request: ActionRequest) => Promise<number>;
}

export type GatewayActions = Readonly<Record<string, GatewayAction>>;

/** Runs the action named by the first word. */
export async function runAction(command: string, actions: GatewayActions, invocation: Invocation): Promise<number> {
  const [name, ...words] = invocation.positionals;
  if (name === undefined) throw missingAction(command, actions);
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) throw unknownAction(command, name, Object.keys(actions));
  checkWords(`${command} ${name}`, action, words);
  return withGateway(invocation, (client) => action.run({ invocation, client, words }));
}

function missingAction(command: string, actions: GatewayActions): Error {
  const usages = Object.entries(actions).map(([name, { words }]) => [PROGRAM, command, name, ...words].join(' '));
  return usageError(`'${PROGRAM} ${command}' needs an action.`, usages, { actions: Object.keys(actions) });
}

function unknownAction(command: string, name: string, names: readonly string[]): Error {
  const guess = closestName(name, names);
  const hints = [
    ...(guess === undefined ? [] : [`Did you mean '${PROGRAM} ${command} ${guess}'?`]),
    `Actions of ${PROGRAM} ${command}: ${names.join(', ')}.`,
  ];
  return usageError(`Unknown action '${name}'.`, hints, { action: name, suggestion: guess ?? null });
}

function checkWords(name: string, { words: expected }: GatewayAction, words: readonly string[]): void {
  const hints = [`Usage: ${[PROGRAM, name, ...expected, '[options]'].join(' ')}`];
  const missing = expected.find((word, place) => word.startsWith('<') && words[place] === undefined);
  if (missing !== undefined) throw usageError(`'${PROGRAM} ${name}' needs ${missing}.`, hints);
  const isOpen = expected.at(-1)?.includes('…') === true;
  const extra = words[expected.length];
  if (!isOpen && extra !== undefined) throw usageError(`Unexpected argument '${extra}'.`, hints);
}
