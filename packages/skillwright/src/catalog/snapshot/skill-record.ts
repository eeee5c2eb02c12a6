import { PROGRAM } from '../../spec/program.ts';
import type { Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import type { FileStamp, SkillFiles } from '../../spec/source.ts';
import type { TrustSubject } from '../../spec/trust.ts';

/** A skill of a snapshot, with access to its files. */
export interface SkillRecord {
  readonly metadata: SkillMetadata;
  readonly files: SkillFiles;
  /** The path of SKILL.md with links resolved. */
  readonly realFile: string;
  /** The facts that decide how far the skill is trusted. */
  readonly subject: TrustSubject;
  /** The state of SKILL.md when it was read. Set only if an index cache or a watch needs it. */
  readonly stamp?: FileStamp | undefined;
  /** Set if an edit made SKILL.md unreadable: the record then describes the skill as it was before the edit. */
  readonly outdated?: true;
}

/** A SKILL.md that could not be used. */
export interface RefusedSkill {
  readonly directoryName: string;
  readonly path: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** A skill that discovery found but never loads, because it is blocked. */
export interface BlockedSkill {
  readonly name: string;
  readonly directoryName: string;
  /** Path of SKILL.md. */
  readonly path: string;
  /** Directory of the skill, links resolved. */
  readonly realDir: string;
}

/** A skill that is hidden by another of the same name. */
export interface ShadowedSkill {
  readonly skill: SkillMetadata;
  readonly by: SkillMetadata;
  /** A name that still finds the hidden skill: its qualified name, or the name of its directory. */
  readonly reachableAs: string;
}

/** How to unblock a blocked skill. */
export function unblockHint({ realDir }: Pick<BlockedSkill, 'realDir'>): string {
  return `'${PROGRAM} trust --list' shows what blocks ${realDir}, and --remove unblocks it. If code blocks it, change the code.`;
}
