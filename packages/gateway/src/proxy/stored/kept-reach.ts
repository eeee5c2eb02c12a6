import type { KeptName, ProxyFormat, WireBody } from 'skillwright/wire';
import type { Caller } from '../../http/gateway-env.ts';
import type { ConversationLedger } from '../../ledger/conversation-ledger.ts';
import type { KeptAnswer } from '../../ledger/ledger-note.ts';
import type { GatewayErrorCode } from '../../spec/error-data.ts';
import { GatewayError } from '../../spec/gateway-error.ts';

type Ledger = Pick<ConversationLedger, 'findAnswer' | 'findUnknown'>;

/** A response that the caller received through the gateway, and its hidden part. */
interface OwnAnswer {
  readonly answer: KeptAnswer;
  readonly tools: readonly string[];
}

/**
 * The access rule for everything that a provider stores. The gateway must check access, because the provider sees one
 * key for all callers. A caller reaches only what the gateway gave to this caller; a key with the scope `manage`
 * reaches everything. Returns the caller's own response, or `undefined` for a response that only `manage` reaches.
 * Throws an error with the given code if the caller may not reach the response.
 */
export async function reachAnswer(
  { tenant, scopes }: Caller,
  id: string | undefined,
  { ledger, code }: { readonly ledger: Ledger; readonly code: GatewayErrorCode },
): Promise<OwnAnswer | undefined> {
  const own = id === undefined ? undefined : await ledger.findAnswer(tenant, id);
  if (own !== undefined || scopes.includes('manage')) return own;
  throw notFound(code, { kind: 'response', id });
}

/** Throws if a request refers to something that its caller may not reach. Call it before anything is sent upstream. */
export async function assertReach(
  caller: Caller,
  { format, body }: { readonly format: ProxyFormat; readonly body: WireBody },
  ledger: Ledger,
): Promise<void> {
  if (caller.scopes.includes('manage')) return;
  const names = format.keptAnswer?.namesIn(body) ?? [];
  const [answers, others] = [names.filter(isAnswer), names.filter((name) => !isAnswer(name))];
  for (const { id } of answers) await reachAnswer(caller, id, { ledger, code: 'PreviousResponseNotFound' });
  await assertNames(caller, others, ledger);
}

/**
 * Throws if the caller may not reach one of these names: the rule of `reachAnswer`, for objects other than responses.
 */
export async function assertNames(caller: Caller, names: readonly KeptName[], ledger: Ledger): Promise<void> {
  if (caller.scopes.includes('manage')) return;
  const unknown = names.find(({ id }) => id === undefined) ?? (await ledger.findUnknown(caller.tenant, names));
  if (unknown !== undefined) throw notFound('StoredNotFound', unknown);
}

function isAnswer({ kind }: KeptName): boolean {
  return kind === 'response';
}

function notFound(code: GatewayErrorCode, { kind, id }: KeptName): GatewayError {
  const message =
    id === undefined
      ? `The request has an invalid ${kind} id. The id must be a string.`
      : `This key has no ${kind} '${id.slice(0, 100)}'. Only a key with the scope manage can use other keys' objects.`;
  return new GatewayError(code, message);
}
