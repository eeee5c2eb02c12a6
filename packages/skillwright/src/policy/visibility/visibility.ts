import type { SkillMetadata, SkillMode } from '../../spec/skill.ts';
import { describeRequirement, missingRequirements, type HostFacts } from '../requirements.ts';
import type { AgentSkills } from './skill-choice.ts';
import { createPathPatterns, type PathPatterns } from './glob.ts';

/** The facts that decide whether a skill is shown at one moment of a conversation. */
export interface VisibilityFacts {
  /** Who would see the skill. Default: the model. */
  readonly audience?: 'model' | 'user' | undefined;
  /** The mode that a host or an operator gave a skill; overrides the skill's own. */
  readonly modeOf?: ((skill: SkillMetadata) => SkillMode | undefined) | undefined;
  /** The skills that this agent gets. Default: all. */
  readonly chosen?: AgentSkills | undefined;
  /** The host's programs and platform, seen from the skill's directory. Without it, `requires` is ignored. */
  readonly hostOf?: ((skill: SkillMetadata) => HostFacts) | undefined;
  /** Files that the conversation is about; absolute paths below `projectDir` count as relative to it. Default: none. */
  readonly files?: readonly string[] | undefined;
  readonly projectDir?: string | undefined;
  /** Whether a skill ranks for the current task. Default: none does. */
  readonly ranks?: ((skill: SkillMetadata) => boolean) | undefined;
}

/** The rules that can keep a skill from being shown. */
export type VisibilityRule =
  | 'mode-off'
  | 'mode-auto'
  | 'not-included'
  | 'excluded'
  | 'disable-model-invocation'
  | 'user-invocable'
  | 'paths'
  | 'requires'
  | 'triggers';

/** One reason why a skill is not shown. */
export interface VisibilityReason {
  readonly rule: VisibilityRule;
  /** A sentence for people: why the skill is not shown, and what to change. */
  readonly sentence: string;
}

/** Whether a skill is shown, and every reason against it. */
export interface Visibility {
  readonly visible: boolean;
  /** Whether the skill may be loaded and run by name, even if it is not shown. */
  readonly callable: boolean;
  /** The effective mode; `undefined` if none was given: the skill is shown, and ranks like an `auto` skill. */
  readonly mode: SkillMode | undefined;
  readonly reasons: readonly VisibilityReason[];
}

/** Rules that forbid using a skill, not only showing it. */
const FORBIDDING: ReadonlySet<VisibilityRule> = new Set<VisibilityRule>([
  'mode-off',
  'not-included',
  'excluded',
  'disable-model-invocation',
  'user-invocable',
]);

export function visible(skill: SkillMetadata, facts: VisibilityFacts = {}): boolean {
  return reasonsAgainst(skill, facts).next().done === true;
}

/** Decides whether a skill is shown and whether it may be called, with every reason against it. */
export function explainVisibility(skill: SkillMetadata, facts: VisibilityFacts = {}): Visibility {
  const reasons = [...reasonsAgainst(skill, facts)];
  return {
    visible: reasons.length === 0,
    callable: !reasons.some(({ rule }) => FORBIDDING.has(rule)),
    mode: modeOf(skill, facts),
    reasons,
  };
}

/** Why nobody may use the skill here, whether it is shown or not; `undefined` if somebody may. */
export function prohibition(skill: SkillMetadata, facts: VisibilityFacts = {}): VisibilityReason | undefined {
  return [...generalReasons(skill, facts)][0];
}

/**
 * The effective mode. An untrusted skill cannot show itself to everyone: its own `on` counts as `auto`, and only a host
 * can set it to `on`.
 */
export function modeOf(skill: SkillMetadata, facts: Pick<VisibilityFacts, 'modeOf'> = {}): SkillMode | undefined {
  const given = facts.modeOf?.(skill);
  if (given !== undefined) return given;
  return skill.mode === 'on' && skill.trust !== 'trusted' ? 'auto' : skill.mode;
}

/** Cheap checks come first: a caller that only needs to know whether there is a reason stops at the first one. */
function* reasonsAgainst(skill: SkillMetadata, facts: VisibilityFacts): Generator<VisibilityReason, void, void> {
  const audience = facts.audience ?? 'model';
  yield* generalReasons(skill, facts);
  if (audience === 'model' && skill.disableModelInvocation)
    yield reason('disable-model-invocation', 'It says disable-model-invocation: only people may use it.');
  if (audience === 'user' && skill.userInvocable === false)
    yield reason('user-invocable', 'It says user-invocable: false: only the model may use it.');
  if (audience === 'user') return;
  if (modeOf(skill, facts) === 'auto' && facts.ranks?.(skill) !== true)
    yield reason('mode-auto', "Its mode is 'auto', and it does not rank for the task.");
  if (skill.paths !== undefined && !hasFile(skill.paths, facts))
    yield reason(
      'paths',
      `No file of the conversation fits its paths: ${shownList(skill.paths)}.${ignoredPaths(skill.paths)}`,
    );
  yield* requirementReasons(skill, facts);
}

function* generalReasons(skill: SkillMetadata, facts: VisibilityFacts): Generator<VisibilityReason, void, void> {
  if (modeOf(skill, facts) === 'off')
    yield reason('mode-off', "Its mode is 'off': it is neither shown nor run. Set it to 'on' or 'auto'.");
  const leftOut = facts.chosen?.leftOut(skill);
  if (leftOut === 'excluded') yield reason('excluded', "The agent's 'exclude' names it.");
  else if (leftOut === 'not-included') yield reason('not-included', "The agent's 'include' does not name it.");
}

function* requirementReasons(skill: SkillMetadata, facts: VisibilityFacts): Generator<VisibilityReason, void, void> {
  if (skill.requires === undefined || facts.hostOf === undefined) return;
  const host = facts.hostOf(skill);
  const missing = missingRequirements(skill.requires, host);
  if (missing.length === 0) return;
  const what = missing.map((item) => describeRequirement(item, host.platform)).join(', ');
  yield reason('requires', `It needs ${what}.`);
}

function hasFile(paths: readonly string[], facts: VisibilityFacts): boolean {
  const { projectDir } = facts;
  const files = readFiles(facts.files);
  if (files.length === 0) return false;
  const { fits } = patternsOf(paths);
  return files.some((file) => fits(insideProject(file, projectDir)));
}

/** Ignores entries that are not paths, because a list of files may come from anywhere. */
function readFiles(files: unknown): readonly string[] {
  try {
    return Array.isArray(files) ? files.filter((file): file is string => typeof file === 'string') : [];
  } catch {
    // A list of files may be a revoked proxy, which throws when it is read.
    return [];
  }
}

/** Caches compiled patterns by their list, which never changes, because every decision about every skill needs them. */
const PATTERNS = new WeakMap<readonly string[], PathPatterns>();

function patternsOf(paths: readonly string[]): PathPatterns {
  const known = PATTERNS.get(paths) ?? createPathPatterns(paths);
  PATTERNS.set(paths, known);
  return known;
}

function ignoredPaths(paths: readonly string[]): string {
  const { ignored } = patternsOf(paths);
  return ignored === 0 ? '' : ` It has too many paths: the last ${ignored} of ${paths.length} are ignored.`;
}

function insideProject(file: string, projectDir: string | undefined): string {
  const path = file.replaceAll('\\', '/');
  const root = projectDir?.replaceAll('\\', '/').replace(/\/+$/, '');
  return root !== undefined && root !== '' && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

function reason(rule: VisibilityRule, sentence: string): VisibilityReason {
  return { rule, sentence };
}

function shownList(items: readonly string[]): string {
  const shown = items.slice(0, 5).map((item) => item.slice(0, 100));
  return [...shown, ...(items.length > shown.length ? ['…'] : [])].join(', ');
}
