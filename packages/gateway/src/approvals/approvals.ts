import type { Page, PageRequest } from '../store/page.ts';
import { hash, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../spec/clock.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import type { ApprovalTable, NewApproval, StoredApproval } from '../store/tables/approval-table.ts';

type ApprovalStatus = 'pending' | 'allowed' | 'denied' | 'expired';
/**
 * What an answer covers: one call (`once`), all calls of the target in one conversation, or all calls of the target
 * (`always`) until the skill's content changes.
 */
export type ApprovalScope = 'once' | 'conversation' | 'always';

/** What a model wants to run and a person decides about. */
export type ApprovalSubject = Pick<
  StoredApproval,
  'skillName' | 'version' | 'digest' | 'target' | 'apiKeyId' | 'sessionId' | 'input'
>;

/**
 * A model's request that waits for a person or was answered by a person. It is `expired` if nobody answered in time.
 */
export interface Approval extends Omit<StoredApproval, 'inputHash' | 'status'> {
  readonly status: ApprovalStatus;
}

/**
 * Approval requests in the mode `hybrid`, and their answers. Chat text never approves: a person decides over REST, as
 * `skillwright approvals` does.
 */
export interface Approvals {
  /**
   * Says whether the subject may run now. If an earlier answer covers the subject, that answer decides; an answer for
   * one call is then used up. Otherwise, creates a request that waits for a person. A subject that is already pending
   * in the same conversation keeps its id. A denied subject has the status `denied`. Throws `TooManyApprovals` when too
   * many of the key's requests are pending.
   */
  ask(
    subject: ApprovalSubject,
  ): Promise<{ readonly allowed: true } | { readonly allowed: false; readonly approval: Approval }>;
  /** Resolves when a person has decided, or after at most `timeoutMs` (60 seconds) with the current state. */
  wait(id: string, timeoutMs: number, signal: AbortSignal): Promise<Approval | undefined>;
  /**
   * Returns undefined for an unknown id. Throws `ApprovalDecided` (409) for a request that is already decided or has
   * expired.
   */
  decide(
    id: string,
    decision: 'allow' | 'deny',
    options: { readonly scope: ApprovalScope; readonly by: string | null },
  ): Promise<Approval | undefined>;
  /** Removes a request or its answer, as if it had never existed. Returns false for an unknown id. */
  withdraw(id: string): Promise<boolean>;
  get(id: string): Promise<Approval | undefined>;
  list(
    filter: {
      readonly status?: ApprovalStatus | undefined;
      /** Only requests whose id begins with this text. */
      readonly id?: string | undefined;
    },
    page: PageRequest,
  ): Promise<Page<Approval>>;
}

const DAY_MS = 86_400_000;
/** How long a person has to answer, and how long an answer for a call or a conversation then stays usable. */
const HOLDS_MS = DAY_MS;
const MAX_WAIT_MS = 60_000;
const MAX_PENDING = 1000;
/** How many characters of an input are kept to be shown. */
const MAX_SHOWN = 64 * 1024;

interface ApprovalsOptions {
  readonly now: Clock;
  /** How many requests of one key may be pending, so that a model cannot bury a person in questions. Default 1000. */
  readonly maxPending?: number | undefined;
}

export function createApprovals(table: ApprovalTable, options: ApprovalsOptions): Approvals {
  const { now, maxPending = MAX_PENDING } = options;
  // Emits every decision, by the id of its request.
  const decisions = new EventEmitter().setMaxListeners(0);
  // Serializes requests, so that the same question is asked only once.
  let last: Promise<unknown> = Promise.resolve();

  const request = async (subject: ApprovalSubject, inputHash: string): Promise<Approval> => {
    if ((await table.countPending(subject.apiKeyId, now())) >= maxPending)
      throw new GatewayError(
        'TooManyApprovals',
        `This key is at its limit of ${maxPending} pending approvals. Answer or withdraw some of them.`,
      );
    const id = randomUUID();
    const createdAt = now();
    const input = shown(subject.input);
    const asked: NewApproval = { ...subject, id, input, inputHash, createdAt, expiresAt: createdAt + HOLDS_MS };
    await table.add(asked);
    const stored: StoredApproval = {
      ...asked,
      status: 'pending',
      scope: null,
      decidedBy: null,
      decidedAt: null,
      usedAt: null,
    };
    return toApproval(stored, createdAt);
  };

  const ask: Approvals['ask'] = async (subject) => {
    // Inputs with the same members in another order get the same hash.
    const inputHash = hash('sha256', JSON.stringify(subject.input ?? null, sortMembers), 'hex');
    const known = await table.current({ ...subject, inputHash }, now());
    const answered = known.filter(({ status }) => status !== 'pending');
    const lasting = answered.find((answer) => isLasting(answer, subject.sessionId));
    const single = answered.find((one) => one.scope === 'once' && one.inputHash === inputHash && one.usedAt === null);
    const answer = lasting ?? single;
    if (answer !== undefined) {
      if (answer !== lasting) await table.use(answer.id, now());
      return answer.status === 'allowed' ? { allowed: true } : { allowed: false, approval: toApproval(answer, now()) };
    }
    // Another conversation gets its own question, because the answer may hold only for the conversation that asked.
    const pending = known.find(
      (one) => one.status === 'pending' && one.inputHash === inputHash && one.sessionId === subject.sessionId,
    );
    const approval = pending === undefined ? await request(subject, inputHash) : toApproval(pending, now());
    return { allowed: false, approval };
  };

  const get = async (id: string): Promise<Approval | undefined> => {
    const stored = await table.get(id);
    return stored === undefined ? undefined : toApproval(stored, now());
  };

  return {
    ask: (subject) => {
      const answer = last.then(() => ask(subject));
      last = answer.catch(() => undefined);
      return answer;
    },

    wait: async (id, timeoutMs, signal) => {
      const over = new AbortController();
      const ending = { signal: AbortSignal.any([signal, over.signal]) };
      // Listens before it looks up the state, so that no decision is missed.
      const decided = once(decisions, eventOf(id), ending).catch(() => undefined);
      try {
        const known = await get(id);
        const late = (): Promise<void> =>
          sleep(Math.min(timeoutMs, MAX_WAIT_MS), undefined, ending).catch(() => undefined);
        if (known?.status === 'pending') await Promise.race([decided, late()]);
        return await get(id);
      } finally {
        over.abort();
      }
    },

    decide: async (id, decision, { scope, by }) => {
      const asked = await table.get(id);
      if (asked === undefined) return undefined;
      const at = now();
      // If the request has no conversation, an answer for the conversation holds only for this call.
      const given: ApprovalScope = scope === 'conversation' && asked.sessionId === null ? 'once' : scope;
      const expiresAt = given === 'always' ? null : at + HOLDS_MS;
      const status = decision === 'allow' ? 'allowed' : 'denied';
      if (!(await table.decide(id, { status, scope: given, by, at, expiresAt })))
        throw decidedBefore(await get(id), id);
      decisions.emit(eventOf(id));
      return get(id);
    },

    withdraw: async (id) => {
      const isRemoved = await table.remove(id);
      decisions.emit(eventOf(id));
      return isRemoved;
    },

    get,

    list: async (filter, page) => {
      const found = await table.list(filter, page, now());
      return { ...found, data: found.data.map((stored) => toApproval(stored, now())) };
    },
  };
}

/**
 * An answer with the scope `always` holds for every call of the target, and an answer for a conversation holds for
 * every call in it. An answer for one call holds for that call in any conversation, because clients need not name their
 * conversations.
 */
function isLasting({ scope, sessionId }: StoredApproval, session: string | null): boolean {
  return scope === 'always' || (scope === 'conversation' && sessionId === session);
}

function toApproval(stored: StoredApproval, now: number): Approval {
  const { inputHash: _, ...approval } = stored;
  const isExpired = stored.status === 'pending' && stored.expiresAt !== null && stored.expiresAt <= now;
  return isExpired ? { ...approval, status: 'expired' } : approval;
}

function sortMembers(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function shown(input: unknown): unknown {
  const text = JSON.stringify(input ?? null);
  return text.length <= MAX_SHOWN
    ? input
    : { shortened: true, characters: text.length, start: text.slice(0, MAX_SHOWN) };
}

function decidedBefore(known: Approval | undefined, id: string): GatewayError {
  const state = known?.status ?? 'withdrawn';
  return new GatewayError('ApprovalDecided', `The approval ${id} is already ${state}.`, {
    data: { id, status: state },
  });
}

function eventOf(id: string): string {
  return `decided ${id}`;
}
