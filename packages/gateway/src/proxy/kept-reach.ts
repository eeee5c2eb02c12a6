import type { KeptName, WireBody, WireFormat } from 'skillwright/wire';
import type { Caller } from '../http/gateway-env.ts';
import type { ConversationLedger } from '../ledger/conversation-ledger.ts';
import type { KeptAnswer } from '../ledger/ledger-note.ts';
import type { GatewayErrorCode } from '../spec/error-data.ts';
import { GatewayError } from '../spec/gateway-error.ts';

type Ledger = Pick<ConversationLedger, 'findAnswer'>;

/** What a caller was answered through the gateway, and what of it was hidden. */
interface OwnAnswer {
  readonly answer: KeptAnswer;
  readonly tools: readonly string[];
}

/**
 * The one rule for what a provider keeps: a caller reaches what the gateway gave it, and a key with the scope `manage`
 * reaches everything, because the provider takes all keys of the gateway for one. Returns the caller's own answer, and
 * `undefined` for one that only `manage` reaches. Throws this code where the caller may not reach it.
 */
export async function reachAnswer(
  { tenant, scopes }: Caller,
  id: string | undefined,
  { ledger, code }: { readonly ledger: Ledger; readonly code: GatewayErrorCode },
): Promise<OwnAnswer | undefined> {
  const own = id === undefined ? undefined : await ledger.findAnswer(tenant, id);
  if (own !== undefined || scopes.includes('manage')) return own;
  const named = id === undefined ? 'without an id that is a text' : `'${id.slice(0, 100)}' of this key`;
  const message = `There is no response ${named}. Those of others need a key with the scope manage.`;
  throw new GatewayError(code, message);
}

/** Throws for a request that names something that its caller does not reach. Nothing of it may have gone upstream before. */
export async function assertReach(
  caller: Caller,
  { format, body }: { readonly format: WireFormat; readonly body: WireBody },
  ledger: Ledger,
): Promise<void> {
  if (caller.scopes.includes('manage')) return;
  for (const { id } of distinct(format.keptAnswer?.namesIn(body) ?? []))
    await reachAnswer(caller, id, { ledger, code: 'PreviousResponseNotFound' });
}

/** A request may name the same a thousand times. */
function distinct(names: readonly KeptName[]): Iterable<KeptName> {
  return new Map(names.map((name) => [JSON.stringify([name.kind, name.id]), name])).values();
}
