import { PROGRAM } from '../../spec/program.ts';
import type { Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import type { FileStamp, SkillFiles } from '../../spec/source.ts';
import type { TrustSubject } from '../../spec/trust.ts';

/** A skill of a snapshot with the way to its files. */
export interface SkillRecord {
  readonly metadata: SkillMetadata;
  readonly files: SkillFiles;
  /** SKILL.md once links are resolved. */
  readonly realFile: string;
  /** What it was found to be, for deciding how far it is trusted. */
  readonly subject: TrustSubject;
  /** The state of SKILL.md when it was read. Only where an index cache or a watch asks for it. */
  readonly stamp?: FileStamp | undefined;
  /** SKILL.md has been edited and cannot be read any more: this is what it said before. */
  readonly outdated?: true;
}

/** A SKILL.md that could not be used. */
export interface RefusedSkill {
  readonly directoryName: string;
  readonly path: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** A skill that is there and never loads. */
export interface BlockedSkill {
  readonly name: string;
  readonly directoryName: string;
  /** Path of SKILL.md. */
  readonly path: string;
  /** Directory of the skill, links resolved. */
  readonly realDir: string;
}

/** A skill that another of the same name hides. */
export interface ShadowedSkill {
  readonly skill: SkillMetadata;
  readonly by: SkillMetadata;
  /** A name that still reaches it: a qualified one, or its directory. */
  readonly reachableAs: string;
}

/** How to get a blocked skill back. */
export function unblockHint({ realDir }: Pick<BlockedSkill, 'realDir'>): string {
  return `'${PROGRAM} trust --list' shows what blocks ${realDir}, and --remove takes it back; a block in code is lifted there.`;
}
