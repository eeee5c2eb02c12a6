import { CliError } from '../cli-error.ts';
import type { GatewayClient } from './client/gateway-client.ts';
import { readAllKeys } from './client/all-pages.ts';
import type { RestAnswers } from './client/rest-types.ts';
import { timeText } from './answers.ts';

const WHOLE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SHORT_LENGTH = 8;
const MAX_SHOWN = 10;

/** One of several possible matches. */
interface Candidate {
  readonly id: string;
  /** How it differs from the others, for display. */
  readonly about: string;
}

/** Shortens an id to the part that identifies it. Every command accepts the short form. */
export function shortId(id: string): string {
  return WHOLE_ID.test(id) ? id.slice(0, SHORT_LENGTH) : id;
}

/**
 * Completes the id of an execution or approval from its start. If nothing matches, returns the input, and the gateway
 * refuses it.
 */
export async function findId(
  client: GatewayClient,
  word: string,
  { path, noun }: { readonly path: string; readonly noun: string },
): Promise<string> {
  const start = withoutEllipsis(word);
  if (start === '' || WHOLE_ID.test(start)) return start;
  const { data, total } = await client.get<RestAnswers['listExecutions'] | RestAnswers['listApprovals']>(path, {
    id: start,
    limit: '50',
  });
  const exact = data.find(({ id }) => id === start);
  if (exact !== undefined || total === 0) return start;
  const candidates = data.map(({ id, skillName, status, createdAt }) => {
    return { id, about: `${skillName}, ${status}, ${timeText(createdAt)}` };
  });
  return only(candidates, { word: start, noun, total });
}

/** Finds a key by its id, the start of its id, or its name. Revoked keys are ignored. */
export async function findKey(client: GatewayClient, word: string): Promise<string> {
  const start = withoutEllipsis(word);
  if (start === '' || WHOLE_ID.test(start)) return start;
  const keys = (await readAllKeys(client)).filter(({ revokedAt }) => revokedAt === null);
  const exact = keys.find(({ id }) => id === start);
  if (exact !== undefined) return start;
  const named = keys.filter(({ name }) => name === word);
  const meant = named.length > 0 ? named : keys.filter(({ id }) => id.startsWith(start));
  if (meant.length === 0) return start;
  return only(
    meant.map(({ id, name, scopes }) => ({ id, about: `${name} (${scopes.join(', ')})` })),
    { word: start, noun: 'key', total: meant.length },
  );
}

/** Removes the `…` that a table cell ends with when it was cut. */
function withoutEllipsis(word: string): string {
  return word.replace(/…$/, '');
}

function only(
  candidates: readonly Candidate[],
  { word, noun, total }: { readonly word: string; readonly noun: string; readonly total: number },
): string {
  const [first] = candidates;
  if (first !== undefined && total === 1) return first.id;
  throw new CliError('GatewayRefused', `'${word}' matches ${total} ${noun}s. Give more characters of the id.`, {
    hints: [
      ...candidates.slice(0, MAX_SHOWN).map(({ id, about }) => `${id}: ${about}`),
      ...(total > MAX_SHOWN ? [`… and ${total - MAX_SHOWN} more`] : []),
    ],
    data: { ids: candidates.map(({ id }) => id) },
  });
}
