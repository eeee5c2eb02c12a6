import { closestName } from '../../../parse/closest-name.ts';
import { usageError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';
import type { GatewayClient } from './client/gateway-client.ts';
import { openClient } from './client/open-client.ts';
import type { RestAnswers } from './client/rest-types.ts';
import { renderTable } from '../text/table.ts';
import { toLine } from '../text/terminal-text.ts';

const PATH = '/api/settings';

/** Shows the settings of a gateway, after changing those that are named. */
export async function run(invocation: Invocation): Promise<number> {
  const { output, globals, positionals } = invocation;
  const client = await openClient(invocation);
  try {
    const { settings } = await (positionals.length === 0
      ? client.get<RestAnswers['getSettings']>(PATH)
      : change(client, positionals));
    if (globals.json) output.json(settings);
    else
      output.lines(
        renderTable(
          output,
          [{ heading: 'SETTING', style: 'name' }, { heading: 'VALUE' }],
          Object.entries(settings).map(([name, value]) => [toLine(name), toLine(String(value))]),
        ),
      );
    return 0;
  } finally {
    await client.close();
  }
}

async function change(client: GatewayClient, words: readonly string[]): Promise<RestAnswers['updateSettings']> {
  const { settings } = await client.get<RestAnswers['getSettings']>(PATH);
  const names = Object.keys(settings);
  return client.send<RestAnswers['updateSettings']>(
    'PUT',
    PATH,
    Object.fromEntries(words.map((word) => toSetting(word, names))),
  );
}

/** What is no value of the setting is for the gateway to refuse. */
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
