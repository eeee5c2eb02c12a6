import { coerce } from 'semver';
import type { SkillMetadata } from 'skillwright';
import type { SkillsHost } from 'skillwright/host';
import type { NewSkill, Registry, SyncReport } from '../registry/registered-skill.ts';
import { isTag } from '../registry/skill-check.ts';
import { isVersion } from '../registry/version-range.ts';

/** Skills whose files are read at a time. */
const AT_A_TIME = 8;
const MAX_TAGS = 50;
/** Of skills that say nothing, or nothing that is a version. */
const NO_VERSION = '0.0.0';

/** Makes the registry's rows of packages those of the skills that were found in the configured directories. */
export async function syncSkills(host: SkillsHost, registry: Registry): Promise<SyncReport> {
  const waiting = host.snapshot.skills.entries();
  const skills: NewSkill[] = [];
  const work = async (): Promise<void> => {
    for (const [place, skill] of waiting) skills[place] = await rowOf(skill, host);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return registry.sync({ kind: 'package', sourceProvider: 'local' }, skills);
}

async function rowOf(skill: SkillMetadata, host: SkillsHost): Promise<NewSkill> {
  const { name, description, version, mode, tags = [] } = skill;
  return {
    kind: 'package',
    name,
    version: versionOf(version),
    description,
    mode: mode ?? 'auto',
    tags: tags.filter(isTag).slice(0, MAX_TAGS),
    // What cannot be read has no digest: an approval of it holds for nothing else.
    digest: await host.digestOf(skill).catch(() => null),
  };
}

/** Three numbers of whatever the skill says: `2` is `2.0.0`. */
function versionOf(text: string | undefined): string {
  const version = coerce(text)?.version ?? NO_VERSION;
  return isVersion(version) ? version : NO_VERSION;
}
