import { printAnswer, type Invocation } from '../command.ts';
import { closestName } from '../../../parse/closest-name.ts';
import { usageError } from '../cli-error.ts';
import type { GatewayClient } from './client/gateway-client.ts';
import { withGateway } from './client/open-client.ts';
import type { RestAnswers } from './client/rest-types.ts';
import { rowTable, type RowColumn } from '../text/table.ts';

const PATH = '/api/settings';

/** Shows the settings of a gateway, after changing the named ones. */
export function run(invocation: Invocation): Promise<number> {
  const { output, positionals } = invocation;
  return withGateway(invocation, async (client) => {
    const { settings } = await (positionals.length === 0
      ? client.get<RestAnswers['getSettings']>(PATH)
      : change(client, positionals));
    return printAnswer(invocation, settings, () => rowTable(output, COLUMNS, Object.entries(settings)));
  });
}

const COLUMNS: readonly RowColumn<readonly [string, unknown]>[] = [
  { heading: 'SETTING', style: 'name', cell: ([name]) => name },
  { heading: 'VALUE', cell: ([, value]) => String(value) },
];

async function change(client: GatewayClient, words: readonly string[]): Promise<RestAnswers['updateSettings']> {
  const { settings } = await client.get<RestAnswers['getSettings']>(PATH);
  const names = Object.keys(settings);
  return client.send<RestAnswers['updateSettings']>(
    'PUT',
    PATH,
    Object.fromEntries(words.map((word) => toSetting(word, names))),
  );
}

/** An invalid value is sent unchanged, and the gateway refuses it. */
function toSetting(word: string, names: readonly string[]): [string, unknown] {
  const [, name = '', text = ''] = /^(\w+)=(.*)$/s.exec(word) ?? [];
  if (names.includes(name)) return [name, text === 'true' || text === 'false' ? text === 'true' : text];
  if (names.includes(word))
    throw usageError(`Setting '${word}' needs a value.`, [`Write ${word}=true or ${word}=false.`]);
  const guess = closestName(name === '' ? word : name, names);
  throw usageError(`Unknown setting '${name === '' ? word : name}'.`, [
    ...(guess === undefined ? [] : [`Did you mean '${guess}'?`]),
    `Write name=value, where the name is one of ${names.join(', ')}.`,
  ]);
}
