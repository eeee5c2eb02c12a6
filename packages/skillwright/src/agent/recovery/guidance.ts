import { describeThrown } from '../../process/handler-answer.ts';
import type { TriggerContext } from '../../select/triggers/trigger-context.ts';
import type { SkillMatch } from '../../select/triggers/triggers.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import type { FailureCause } from './cause.ts';
import type { MarkdownOutline } from './outline.ts';
import { findGeneralSection, findToolSection, type ToolSection } from './section.ts';

/** The fields of a skill match that recovery uses. */
export type FoundSkill = Pick<SkillMatch, 'name' | 'qualifiedName' | 'score' | 'reasons' | 'commandArguments'>;

/** A skill with its instructions. */
export interface InstructingSkill {
  readonly metadata: SkillMetadata;
  /** The markdown below the frontmatter. */
  readonly body: string;
}

/** Finds skills by trigger, and loads them. `SkillLoader` implements it. */
export interface SkillFinder {
  /** The skills that match a trigger, best first. */
  readonly find: (trigger: string, context: TriggerContext) => Promise<readonly FoundSkill[]>;
  readonly load: (name: string) => Promise<InstructingSkill>;
}

/** What a skill says about a failed call. */
export interface ToolGuidance {
  readonly skill: FoundSkill;
  /** The trigger that found the skill. */
  readonly trigger: string;
  readonly section: ToolSection;
}

export interface GuidanceSearch {
  readonly guidance: ToolGuidance | undefined;
  /** What went wrong while looking for guidance. */
  readonly problem: string | undefined;
}

export interface GuidanceQuestion {
  readonly tool: string;
  readonly cause: FailureCause;
  readonly context: TriggerContext;
  readonly outlineOf: (body: string) => MarkdownOutline;
}

/** How many skills are read for each failure and trigger. */
const MAX_READ = 3;

/**
 * The triggers of a failure, in the order they are fired. `tool_call_error` is fired for every failure and comes first,
 * because most skills for failures are general. The narrower triggers reach skills that declare nothing else, and are
 * used only if no earlier skill mentions the tool.
 */
function triggersOf({ kind }: FailureCause): readonly string[] {
  if (kind === 'missing-parameter') return ['tool_call_error', 'missing_parameter', 'invalid_tool_call'];
  return kind === 'other' ? ['tool_call_error'] : ['tool_call_error', 'invalid_tool_call'];
}

/**
 * Returns the first skill with a section about the tool; otherwise the first skill with a short section about tools in
 * general. Skills are ordered by trigger, then by match. Never rejects: a failing finder counts as finding nothing.
 */
export async function findGuidance(
  { find, load }: SkillFinder,
  { tool, cause, context, outlineOf }: GuidanceQuestion,
): Promise<GuidanceSearch> {
  const read = new Set<string>();
  let general: ToolGuidance | undefined;
  let problem: string | undefined;
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      problem ??= describeThrown(error).message;
      return undefined;
    }
  };
  for (const trigger of triggersOf(cause)) {
    const matches = (await attempt(() => find(trigger, context))) ?? [];
    for (const skill of matches.slice(0, MAX_READ)) {
      if (read.has(skill.qualifiedName)) continue;
      read.add(skill.qualifiedName);
      const body = (await attempt(() => load(skill.qualifiedName)))?.body ?? '';
      const section = findToolSection(body, tool, outlineOf(body));
      if (section !== undefined) return { guidance: { skill, trigger, section }, problem };
      const other = general === undefined ? findGeneralSection(body, outlineOf(body)) : undefined;
      if (other !== undefined) general = { skill, trigger, section: other };
    }
  }
  return { guidance: general, problem };
}
