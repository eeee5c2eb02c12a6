import { usageError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';
import { findKey, shortId } from './find-id.ts';
import type { RestAnswers } from './client/rest-types.ts';
import { pageQuery, pageText } from './client/page-query.ts';
import { runAction, type ActionRequest, type GatewayActions } from './run-action.ts';
import { timeText } from './time-text.ts';
import { renderTable } from '../text/table.ts';
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
  const { output, globals } = invocation;
  const page = await client.get<RestAnswers['listKeys']>('/api/keys', pageQuery(invocation));
  if (globals.json) {
    output.json(page);
    return 0;
  }
  const rows = page.data.map(({ id, name, prefix, scopes, lastUsedAt, expiresAt, revokedAt }) => [
    shortId(id),
    toLine(name),
    `${prefix}…`,
    scopes.join(', '),
    timeText(lastUsedAt),
    revokedAt === null ? timeText(expiresAt) : 'revoked',
  ]);
  const columns = [
    { heading: 'ID', style: 'dim' },
    { heading: 'NAME', style: 'name', maxWidth: 30 },
    { heading: 'KEY', style: 'dim' },
    { heading: 'SCOPES' },
    { heading: 'USED (UTC)' },
    { heading: 'EXPIRES' },
  ] as const;
  if (rows.length > 0) output.lines([...renderTable(output, columns, rows), '']);
  output.line(pageText(page, 'key'));
  return 0;
}

async function create({ invocation, client, words }: ActionRequest): Promise<number> {
  const { output, globals, options } = invocation;
  const days = options.text('expires-in-days');
  const scopes = (options.text('scopes') ?? 'proxy').split(',').map((scope) => scope.trim());
  const answer = await client.send<RestAnswers['createKey']>('POST', '/api/keys', {
    name: words[0],
    scopes,
    ...(days === undefined ? {} : { expiresAt: Date.now() + readDays(days) * DAY_MS }),
    ...limit('requestsPerMinute', options.text('requests-per-minute')),
    ...limit('concurrentRequests', options.text('concurrent-requests')),
  });
  if (globals.json) output.json(answer);
  else {
    output.line(
      `${output.style('good', '✓')} ${toLine(answer.key.name)} (${answer.key.scopes.join(', ')}): ${answer.key.id}`,
    );
    output.line();
    output.line(`  ${output.style('heading', answer.secret)}`);
    output.line(output.style('dim', '  Keep it: it is never shown again.'));
  }
  return 0;
}

async function revoke({ invocation, client, words }: ActionRequest): Promise<number> {
  const { output, globals } = invocation;
  const id = await findKey(client, words[0] ?? '');
  const answer = await client.send<RestAnswers['revokeKey']>('DELETE', `/api/keys/${encodeURIComponent(id)}`);
  if (globals.json) output.json({ id, ...answer });
  else output.line(`${output.style('good', '✓')} The key ${toLine(id)} is revoked.`);
  return 0;
}

/** What is no number is for the gateway to refuse. */
function limit(name: string, text: string | undefined): Record<string, unknown> {
  return text === undefined ? {} : { [name]: /^\d+$/.test(text) ? Number(text) : text };
}

function readDays(text: string): number {
  const days = Number(text);
  if (/^\d{1,5}$/.test(text) && days > 0) return days;
  throw usageError(`Option --expires-in-days needs a number of days, not '${text}'.`);
}
