import type { RunCheck } from '../../../run/admission/run-checks.ts';
import { SkillwrightError } from '../../../spec/errors/error.ts';
import type { Diagnostic } from '../../../spec/diagnostics/diagnostic.ts';
import type { SkillFile, SkillMetadata } from '../../../spec/skill.ts';
import { isAt } from './location-report.ts';
import type { OpenedSkills } from './locations.ts';

export interface SkillBody {
  readonly characters: number;
  /** Characters divided by four: a rule of thumb, not a count. */
  readonly estimatedTokens: number;
  readonly content: string;
}

/** Everything there is to say about a skill. */
export interface SkillDetails {
  readonly skill: SkillMetadata;
  /** A sentence instead, where the instructions cannot be loaded. */
  readonly body: SkillBody | { readonly problem: string };
  readonly files: readonly SkillFile[];
  readonly scripts: readonly string[];
  /** Where scripts and tools run on this machine, or why they cannot; `null` for a skill with nothing to run. */
  readonly run: RunCheck | null;
  /** Skills of the same name that this one hides. */
  readonly hides: readonly { readonly path: string; readonly reachableAs: string | null }[];
  /** The skill that hides this one. */
  readonly hiddenBy: { readonly name: string; readonly path: string } | null;
  readonly diagnostics: readonly Diagnostic[];
}

export async function readDetails(opened: OpenedSkills, name: string): Promise<SkillDetails> {
  const { manager, snapshot } = opened;
  const skill = manager.getSkill(name);
  const hider = snapshot.shadowed.find((shadowed) => shadowed.skill === skill)?.by;
  return {
    skill,
    body: await readBody(opened, name),
    files: manager.listFiles(name),
    scripts: manager.listScripts(name).map(({ path }) => path),
    run: (await manager.checkRun(name)) ?? null,
    hides: snapshot.shadowed
      .filter(({ by }) => by === skill)
      .map((hidden) => ({ path: hidden.skill.filePath, reachableAs: hidden.reachableAs ?? null })),
    hiddenBy: hider === undefined ? null : { name: hider.name, path: hider.filePath },
    diagnostics: snapshot.diagnostics.filter(({ path }) => isAt(path, skill.baseDir)),
  };
}

async function readBody({ manager }: OpenedSkills, name: string): Promise<SkillDetails['body']> {
  try {
    const { content } = await manager.loadSkill(name);
    return { characters: content.length, estimatedTokens: Math.ceil(content.length / 4), content };
  } catch (error) {
    if (SkillwrightError.isInstance(error)) return { problem: error.message };
    throw error;
  }
}
