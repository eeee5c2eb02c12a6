import { hash, randomUUID } from 'node:crypto';
import type { Clock } from '../spec/clock.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import type { ApprovalTable, NewApproval, StoredApproval } from '../store/tables/approval-table.ts';
import type { Approval, Approvals, ApprovalScope, ApprovalSubject } from './approvals.ts';

/** One who waits for a decision. */
interface Listening {
  /** Resolves when the bell was rung since listening began, when the signal aborts, or after this long. */
  heard(timeoutMs: number, signal: AbortSignal): Promise<void>;
  stop(): void;
}

/** Tells those who wait for a decision that there is one. */
interface DecisionBell {
  listen(id: string): Listening;
  ring(id: string): void;
}

const DAY_MS = 86_400_000;
/** How long a person has to answer, and how long an answer for a call or a conversation then waits to be used. */
const HOLDS_MS = DAY_MS;
const MAX_WAIT_MS = 60_000;
const MAX_PENDING = 1000;
/** Characters of an input that are kept to be shown. */
const MAX_SHOWN = 64 * 1024;

export interface ApprovalsOptions {
  readonly now: Clock;
  /** How many of one key may wait: a model must not bury a person in questions. Default 1000. */
  readonly maxPending?: number | undefined;
}

export function createApprovals(table: ApprovalTable, options: ApprovalsOptions): Approvals {
  const { now, maxPending = MAX_PENDING } = options;
  const bell = createDecisionBell();
  // One after the other, so that a question is asked once.
  let last: Promise<unknown> = Promise.resolve();

  const request = async (subject: ApprovalSubject, inputHash: string): Promise<Approval> => {
    if ((await table.countPending(subject.apiKeyId, now())) >= maxPending)
      throw new GatewayError('TooManyApprovals', `${maxPending} questions of this key wait for an answer already.`);
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
    const inputHash = hashOf(subject.input);
    const known = await table.current({ ...subject, inputHash }, now());
    const answered = known.filter(({ status }) => status !== 'pending');
    const lasting = answered.find((answer) => isLasting(answer, subject.sessionId));
    const single = answered.find((answer) => answer.inputHash === inputHash && answer.usedAt === null);
    const answer = lasting ?? single;
    if (answer !== undefined) {
      if (answer !== lasting) await table.use(answer.id, now());
      return answer.status === 'allowed' ? { allowed: true } : { allowed: false, approval: toApproval(answer, now()) };
    }
    const pending = known.find((one) => one.status === 'pending' && one.inputHash === inputHash);
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
      const rung = bell.listen(id);
      try {
        const known = await get(id);
        if (known?.status === 'pending') await rung.heard(Math.min(timeoutMs, MAX_WAIT_MS), signal);
        return await get(id);
      } finally {
        rung.stop();
      }
    },

    decide: async (id, decision, { scope, by }) => {
      const asked = await table.get(id);
      if (asked === undefined) return undefined;
      const at = now();
      // Without a conversation there is only the call.
      const given: ApprovalScope = scope === 'conversation' && asked.sessionId === null ? 'once' : scope;
      const expiresAt = given === 'always' ? null : at + HOLDS_MS;
      const status = decision === 'allow' ? 'allowed' : 'denied';
      if (!(await table.decide(id, { status, scope: given, by, at, expiresAt })))
        throw decidedBefore(await get(id), id);
      bell.ring(id);
      return get(id);
    },

    withdraw: async (id) => {
      const isRemoved = await table.remove(id);
      bell.ring(id);
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
 * An answer for always holds for every call of the target, and one for a conversation for every call in it. Any other is
 * for the call that was asked about, in whatever conversation it comes back: clients need not name theirs.
 */
function isLasting({ scope, sessionId }: StoredApproval, session: string | null): boolean {
  return scope === 'always' || (scope === 'conversation' && sessionId === session);
}

function toApproval(stored: StoredApproval, now: number): Approval {
  const { inputHash: _, ...approval } = stored;
  const isExpired = stored.status === 'pending' && stored.expiresAt !== null && stored.expiresAt <= now;
  return isExpired ? { ...approval, status: 'expired' } : approval;
}

/** Objects with the same members are the same input, whatever their order. */
function hashOf(input: unknown): string {
  return hash('sha256', JSON.stringify(input ?? null, sortMembers), 'hex');
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
  return new GatewayError('ApprovalDecided', `The approval ${id} is ${state} and takes no other answer.`, {
    data: { id, status: state },
  });
}

function createDecisionBell(): DecisionBell {
  const listeners = new Map<string, Set<() => void>>();
  return {
    listen: (id) => {
      const rung = new AbortController();
      const wake = (): void => rung.abort();
      const those = listeners.get(id) ?? new Set();
      listeners.set(id, those.add(wake));
      return {
        heard: (timeoutMs, signal) => until(AbortSignal.any([rung.signal, signal]), timeoutMs),
        stop: () => {
          those.delete(wake);
          if (those.size === 0 && listeners.get(id) === those) listeners.delete(id);
        },
      };
    },
    ring: (id) => {
      for (const wake of listeners.get(id) ?? []) wake();
    },
  };
}

function until(signal: AbortSignal, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, timeoutMs);
    signal.addEventListener('abort', end);
  });
}
