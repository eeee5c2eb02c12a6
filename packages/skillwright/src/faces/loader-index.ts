import type { Snapshot } from '../catalog/snapshot.ts';
import type { HostFacts } from '../policy/requirements.ts';
import { assertChoice, chooseSkills, type SkillChoiceOptions } from '../policy/visibility-choice.ts';
import { explainVisibility, visible, type VisibilityFacts } from '../policy/visibility.ts';
import { hostEnvironment } from '../process/host-environment.ts';
import { hasProgram } from '../process/programs.ts';
import { readField, type TriggerContext } from '../select/trigger-context.ts';
import { createTaskRanking, type RankTask } from '../select/trigger-ranking.ts';
import { awaitsTasks, createTriggerIndex, MAX_TASK_MATCHES, type TriggerIndex } from '../select/triggers.ts';
import type { Logger } from '../spec/logger.ts';
import type { RankerKind } from '../spec/ranker.ts';
import type { SkillMetadata } from '../spec/skill.ts';

export interface IndexSettings extends SkillChoiceOptions {
  readonly modeOf: VisibilityFacts['modeOf'];
  readonly projectDir: string;
  readonly ranker: RankerKind | undefined;
}

/** A snapshot's skills by trigger, as one loader sees them. */
export interface IndexedSnapshot extends Pick<TriggerIndex, 'find' | 'triggers'> {
  readonly snapshot: Snapshot;
  /** Without those the loader's choice leaves out. */
  readonly skills: readonly SkillMetadata[];
  factsOf(context: TriggerContext): VisibilityFacts;
}

export function indexSnapshot(
  snapshot: Snapshot,
  settings: IndexSettings,
  { isFirst, logger }: { readonly isFirst: boolean; readonly logger: Logger },
): IndexedSnapshot {
  // A skill that another hides can still be called by its qualified name, and be left out by it.
  const all = [...snapshot.skills, ...snapshot.shadowed.map(({ skill }) => skill)];
  const chosen = chooseSkills(all, settings);
  // Later a skill may have been removed, which is no mistake of the program's.
  if (isFirst) assertChoice(chosen, snapshot.skills);
  else if (chosen.unknown.length > 0) logger.warn('Skills that were chosen are gone.', { unknown: chosen.unknown });
  const skills = snapshot.skills.filter((skill) => chosen.leftOut(skill) === undefined);
  const hostOf = createHostFacts();
  const factsOf = (context: TriggerContext): VisibilityFacts => {
    const files = readField(context, 'files');
    const paths = Array.isArray(files) ? files.filter((file): file is string => typeof file === 'string') : [];
    return { modeOf: settings.modeOf, projectDir: settings.projectDir, chosen, hostOf, files: paths };
  };
  let ranking: RankTask | undefined;
  const index = createTriggerIndex(skills, {
    rank(task, isCandidate) {
      ranking ??= createTaskRanking(
        skills.filter((skill) => mayRank(skill, factsOf({}))),
        settings.ranker,
      );
      return ranking(task, { limit: MAX_TASK_MATCHES, isCandidate });
    },
    find: (name) => snapshot.find(name)?.metadata,
    isVisible: (skill, audience, context) => visible(skill, { ...factsOf(context), audience, ranks: () => true }),
  });
  return { ...index, snapshot, skills, factsOf };
}

/** Whether a skill can ever fit a task: what the files and the machine say is asked each time. */
function mayRank(skill: SkillMetadata, facts: VisibilityFacts): boolean {
  const { reasons } = explainVisibility(skill, { ...facts, ranks: () => true });
  return awaitsTasks(skill) && reasons.every(({ rule }) => rule === 'paths' || rule === 'requires');
}

/** What this machine has; each program is looked for once. */
function createHostFacts(): (skill: SkillMetadata) => HostFacts {
  const env = hostEnvironment();
  const known = new Map<string, boolean>();
  return ({ baseDir }) => ({
    env,
    platform: process.platform,
    hasProgram(program) {
      const key = `${program}\0${/[\\/]/.test(program) ? baseDir : ''}`;
      const has = known.get(key) ?? hasProgram(program, baseDir, env);
      known.set(key, has);
      return has;
    },
  });
}
