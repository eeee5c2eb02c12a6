import { printAnswer, type Invocation } from '../command.ts';
import { doneLine } from '../output.ts';
import { usageError } from '../cli-error.ts';
import { pageQuery, printPage, timeText } from './answers.ts';
import { findKey, shortId } from './find-id.ts';
import type { ApiKey, RestAnswers } from './client/rest-types.ts';
import { runAction, type ActionRequest, type GatewayActions } from './run-action.ts';
import type { RowColumn } from '../text/table.ts';
import { toLine } from '../text/terminal-text.ts';

const ACTIONS: GatewayActions = {
  list: { words: [], run: list },
  create: { words: ['<name>'], run: create },
  revoke: { words: ['<key>'], run: revoke },
};

const DAY_MS = 86_400_000;

/** Keys of a gateway. */
export function run(invocation: Invocation): Promise<number> {
  return runAction('keys', ACTIONS, invocation);
}

async function list({ invocation, client }: ActionRequest): Promise<number> {
  const page = await client.get<RestAnswers['listKeys']>('/api/keys', pageQuery(invocation));
  return printPage(invocation, page, { noun: 'key', rows: page.data, columns: COLUMNS });
}

const COLUMNS: readonly RowColumn<ApiKey>[] = [
  { heading: 'ID', style: 'dim', cell: ({ id }) => shortId(id) },
  { heading: 'NAME', style: 'name', maxWidth: 30, cell: ({ name }) => name },
  { heading: 'KEY', style: 'dim', cell: ({ prefix }) => `${prefix}…` },
  { heading: 'SCOPES', cell: ({ scopes }) => scopes.join(', ') },
  { heading: 'USED (UTC)', cell: ({ lastUsedAt }) => timeText(lastUsedAt) },
  { heading: 'EXPIRES', cell: ({ expiresAt, revokedAt }) => (revokedAt === null ? timeText(expiresAt) : 'revoked') },
];

async function create({ invocation, client, words }: ActionRequest): Promise<number> {
  const { output, options } = invocation;
  const days = options.text('expires-in-days');
  const scopes = (options.text('scopes') ?? 'proxy').split(',').map((scope) => scope.trim());
  const answer = await client.send<RestAnswers['createKey']>('POST', '/api/keys', {
    name: words[0],
    scopes,
    ...(days === undefined ? {} : { expiresAt: Date.now() + readDays(days) * DAY_MS }),
    ...limit('requestsPerMinute', options.text('requests-per-minute')),
    ...limit('concurrentRequests', options.text('concurrent-requests')),
  });
  const { name, scopes: given, id } = answer.key;
  return printAnswer(invocation, answer, () => [
    doneLine(output, `${toLine(name)} (${given.join(', ')}): ${id}`),
    '',
    `  ${output.style('heading', answer.secret)}`,
    output.style('dim', '  Save it now, because it is never shown again.'),
  ]);
}

async function revoke({ invocation, client, words }: ActionRequest): Promise<number> {
  const id = await findKey(client, words[0] ?? '');
  const answer = await client.send<RestAnswers['revokeKey']>('DELETE', `/api/keys/${encodeURIComponent(id)}`);
  const text = `The key ${toLine(id)} was revoked.`;
  return printAnswer(invocation, { id, ...answer }, () => [doneLine(invocation.output, text)]);
}

/** A value that is not a number is sent unchanged, and the gateway refuses it. */
function limit(name: string, text: string | undefined): Record<string, unknown> {
  return text === undefined ? {} : { [name]: /^\d+$/.test(text) ? Number(text) : text };
}

function readDays(text: string): number {
  const days = Number(text);
  if (/^\d{1,5}$/.test(text) && days > 0) return days;
  throw usageError(`Option --expires-in-days needs a number of days, not '${text}'.`);
}
