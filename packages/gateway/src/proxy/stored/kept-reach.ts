import type { KeptName, ProxyFormat, WireBody } from 'skillwright/wire';
import type { Caller } from '../../http/gateway-env.ts';
import type { ConversationLedger } from '../../ledger/conversation-ledger.ts';
import type { KeptAnswer } from '../../ledger/ledger-note.ts';
import type { GatewayErrorCode } from '../../spec/error-data.ts';
import { GatewayError } from '../../spec/gateway-error.ts';

type Ledger = Pick<ConversationLedger, 'findAnswer' | 'findUnknown'>;

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
  throw notFound(code, { kind: 'response', id });
}

/** Throws for a request that names something that its caller does not reach. Nothing of it may have gone upstream before. */
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

/** The same rule for what is no answer. */
export async function assertNames(caller: Caller, names: readonly KeptName[], ledger: Ledger): Promise<void> {
  if (caller.scopes.includes('manage')) return;
  const unknown = names.find(({ id }) => id === undefined) ?? (await ledger.findUnknown(caller.tenant, names));
  if (unknown !== undefined) throw notFound('StoredNotFound', unknown);
}

function isAnswer({ kind }: KeptName): boolean {
  return kind === 'response';
}

function notFound(code: GatewayErrorCode, { kind, id }: KeptName): GatewayError {
  const named = id === undefined ? 'without an id that is a text' : `'${id.slice(0, 100)}' of this key`;
  return new GatewayError(code, `There is no ${kind} ${named}. Those of others need a key with the scope manage.`);
}
