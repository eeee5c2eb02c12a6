import type { Page, PageRequest } from '../store/page.ts';

export type ApprovalStatus = 'pending' | 'allowed' | 'denied' | 'expired';
/** For this call, for the conversation, or for this skill at this digest and this tool. */
export type ApprovalScope = 'once' | 'conversation' | 'always';

/** What a model wants to run and a person decides about. */
export interface ApprovalSubject {
  readonly skillName: string;
  readonly version: string | null;
  /** Of the skill's content; a changed skill is asked about again. */
  readonly digest: string | null;
  /** The tool, the script, or the handler. */
  readonly target: string;
  readonly apiKeyId: string | null;
  readonly sessionId: string | null;
  /** What it would get, for the person to see. */
  readonly input: unknown;
}

/** A request of a model that waits for a person, or was answered by one. */
export interface Approval extends ApprovalSubject {
  readonly id: string;
  readonly status: ApprovalStatus;
  readonly scope: ApprovalScope | null;
  readonly decidedBy: string | null;
  readonly createdAt: number;
  readonly decidedAt: number | null;
  /** Until when it can be answered, then until when the answer holds; null for an answer that holds until it is withdrawn. */
  readonly expiresAt: number | null;
  /** When an answer for one call was used up by it; null for one that was not, and for those that hold longer. */
  readonly usedAt: number | null;
}

/** `hybrid` requests and their answers. Chat text never approves: a person decides over REST, as `skillwright approvals` does. */
export interface Approvals {
  /**
   * Whether this may run now: an earlier answer that still holds (an answer for one call is used up by it), otherwise a
   * request that waits for a person. The same subject that is pending already keeps its id. What was denied has the
   * status `denied`. Throws `TooManyApprovals` when too many of the key's are pending.
   */
  ask(
    subject: ApprovalSubject,
  ): Promise<{ readonly allowed: true } | { readonly allowed: false; readonly approval: Approval }>;
  /** Resolves when a person has decided, or after at most `timeoutMs` (60 seconds) with what is known then. */
  wait(id: string, timeoutMs: number, signal: AbortSignal): Promise<Approval | undefined>;
  /** Undefined when there is none; throws `ApprovalDecided` (409) when it is decided already or has expired. */
  decide(
    id: string,
    decision: 'allow' | 'deny',
    options: { readonly scope: ApprovalScope; readonly by: string | null },
  ): Promise<Approval | undefined>;
  /** Takes a question or its answer back, as if it had never been there. False when there is none. */
  withdraw(id: string): Promise<boolean>;
  get(id: string): Promise<Approval | undefined>;
  list(
    filter: {
      readonly status?: ApprovalStatus | undefined;
      /** What the id begins with. */
      readonly id?: string | undefined;
    },
    page: PageRequest,
  ): Promise<Page<Approval>>;
}
