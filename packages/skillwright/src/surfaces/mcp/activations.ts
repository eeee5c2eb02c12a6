import { randomUUID } from 'node:crypto';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import { activeSkill, type ServedConversation, type ServedSkills } from './served-skills.ts';

/** How long an activation lasts without a call. */
export const IDLE_MS: number = 10 * 60_000;
const VALID_MS = 60 * 60_000;
/** How many activations of one caller are remembered. A client that loads more loses the oldest. */
const MAX_ACTIVATIONS = 1_000;

/** The conversation for a call, or why there is none. */
export type FoundConversation =
  | { readonly ok: true; readonly conversation: ServedConversation }
  | { readonly ok: false; readonly sentence: string };

/**
 * The active skills of one caller, by handle. An activation ends when the client ends it, after 10 minutes without a
 * call, or after an hour, and when the content of its skill changes.
 */
export interface Activations {
  /** Returns the handle that the client passes with its calls. */
  begin(record: SkillRecord): Promise<string>;
  /** The conversation in which the skill is active. Restarts the activation's idle time. */
  open(handle: string): Promise<FoundConversation>;
  /** Restarts the activation's idle time, because a call has ended. */
  touch(handle: string): void;
  /** Ends an activation. Returns false if there is no such activation. */
  end(handle: string): boolean;
}

export interface ActivationOptions {
  /** A clock in milliseconds that never goes back. Default: the process's. */
  readonly now?: (() => number) | undefined;
}

/** A skill that is active for some calls of a client. */
interface Entry {
  /** The skill's qualified name. */
  readonly skill: string;
  readonly digest: string;
  readonly begun: number;
  used: number;
}

export function createActivations(skills: ServedSkills, options: ActivationOptions = {}): Activations {
  const { now = () => performance.now() } = options;
  const entries = new Map<string, Entry>();
  const isOver = ({ begun, used }: Entry): boolean => now() - begun > VALID_MS || now() - used > IDLE_MS;

  const makeRoom = (): void => {
    for (const [handle, entry] of entries) if (isOver(entry)) entries.delete(handle);
    const [oldest] = entries.keys();
    if (entries.size >= MAX_ACTIVATIONS && oldest !== undefined) entries.delete(oldest);
  };

  /** Why an activation no longer counts. */
  const refusal = async (entry: Entry, conversation: ServedConversation): Promise<string | undefined> => {
    const record = activeSkill(conversation);
    if (isOver(entry)) return `The activation of skill '${entry.skill}' has expired.`;
    if (record === undefined) return `Skill '${entry.skill}' no longer exists.`;
    return (await skills.digestOf(record)) === entry.digest
      ? undefined
      : `Skill '${entry.skill}' has changed since it was loaded.`;
  };

  return {
    async begin(record) {
      const digest = await skills.digestOf(record);
      makeRoom();
      const handle = randomUUID();
      entries.set(handle, { skill: record.metadata.qualifiedName, digest, begun: now(), used: now() });
      return handle;
    },
    async open(handle) {
      const entry = entries.get(handle);
      if (entry === undefined) return { ok: false, sentence: `There is no such activation. ${AGAIN}` };
      const conversation = skills.begin({ id: handle, active: entry.skill });
      const reason = await refusal(entry, conversation);
      if (reason === undefined) {
        entry.used = now();
        return { ok: true, conversation };
      }
      entries.delete(handle);
      return { ok: false, sentence: `${reason} ${AGAIN}` };
    },
    touch(handle) {
      const entry = entries.get(handle);
      if (entry !== undefined) entry.used = now();
    },
    end: (handle) => entries.delete(handle),
  };
}

const AGAIN = 'Load the skill again with load_skill, and pass the new activation.';
