import type { ApprovalAnswer } from '../spec/approval.ts';

/** What an approval is for. */
export interface ApprovalSubject {
  readonly skill: string;
  /** Names the skill's content. */
  readonly digest: string;
  readonly kind: 'script' | 'tool';
  readonly target: string;
  /** Whose approval it is. */
  readonly tenant: string;
  readonly session: string | null;
}

/** Approvals that were given for longer than one run. */
export interface Approvals {
  has(subject: ApprovalSubject): boolean;
  /** Keeps `conversation` (where there is one) and `always`. */
  remember(subject: ApprovalSubject, answer: ApprovalAnswer): void;
  /** The conversation is over. */
  forgetSession(session: string): void;
}

export function createApprovals(): Approvals {
  const always = new Set<string>();
  const bySession = new Map<string, Set<string>>();
  return {
    has(subject) {
      const key = keyOf(subject);
      return always.has(key) || (subject.session !== null && bySession.get(subject.session)?.has(key) === true);
    },
    remember(subject, answer) {
      if (answer === 'always') always.add(keyOf(subject));
      if (answer !== 'conversation' || subject.session === null) return;
      const kept = bySession.get(subject.session) ?? new Set<string>();
      bySession.set(subject.session, kept.add(keyOf(subject)));
    },
    forgetSession: (session) => void bySession.delete(session),
  };
}

function keyOf({ skill, digest, kind, target, tenant }: ApprovalSubject): string {
  return JSON.stringify([tenant, skill, digest, kind, target]);
}
