import type { Catalog } from '../../catalog/catalog.ts';
import { isRunnable } from '../../catalog/lookup/runnable-file.ts';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import { readLines } from '../../catalog/bodies/skill-bodies.ts';
import { SkillwrightError } from '../../spec/errors/error.ts';
import type { ReadingLimits } from '../../spec/limits.ts';
import type { SkillFile, SkillMetadata } from '../../spec/skill.ts';

/** A skill with its instructions and scripts. */
export interface LoadedSkill {
  readonly name: string;
  readonly metadata: SkillMetadata;
  /** The markdown below the frontmatter. */
  readonly body: string;
  /** The skill's scripts, by path relative to the skill. */
  readonly scripts: Readonly<Record<string, LoadedScript>>;
}

/** A script of a loaded skill, with its text if that was requested. */
export interface LoadedScript extends SkillFile {
  /** The script's text, if requested and if the file is text within the size limit of bundled files. */
  readonly text?: string;
}

/** Options of `loader.loadSkill`. */
export interface LoadSkillOptions {
  /** Also read the text of the scripts. Default false: they are only listed. */
  readonly scripts?: boolean | undefined;
}

/**
 * A cache of loaded skills, each read once. Evicts the least recently used skill first, but never a skill that is held.
 */
export interface LoadedSkills {
  load(record: SkillRecord, options: LoadSkillOptions & { readonly hold?: boolean }): Promise<LoadedSkill>;
  clear(): void;
}

interface Entry {
  readonly loading: Promise<LoadedSkill>;
  /** The memory use of the skill, known once it is loaded. */
  characters: number;
  held: boolean;
}

export function createLoadedSkills(catalog: Catalog, limits: ReadingLimits): LoadedSkills {
  const entries = new Map<string, Entry>();

  const start = (key: string, record: SkillRecord, options: LoadSkillOptions): Entry => {
    const settle = async (): Promise<LoadedSkill> => {
      try {
        const skill = await read(catalog, limits, record, options);
        entry.characters = sizeOf(skill);
        makeRoom(entries, limits.bodyCacheBytes, key);
        return skill;
      } catch (error) {
        if (entries.get(key) === entry) entries.delete(key);
        throw error;
      }
    };
    const entry: Entry = { loading: settle(), characters: 0, held: false };
    return entry;
  };

  return {
    async load(record, options) {
      const key = `${options.scripts === true ? 'scripts' : 'body'} ${record.realFile}`;
      const entry = entries.get(key) ?? start(key, record, options);
      // Moves the entry to the end, so that it is evicted last.
      entries.delete(key);
      entries.set(key, entry);
      if (options.hold === true) entry.held = true;
      return entry.loading;
    },
    clear: () => entries.clear(),
  };
}

function makeRoom(entries: Map<string, Entry>, maxBytes: number, keep: string): void {
  let size = [...entries.values()].reduce((sum, { characters }) => sum + characters * 2, 0);
  for (const [key, entry] of entries) {
    if (size <= maxBytes) return;
    if (entry.held || key === keep) continue;
    entries.delete(key);
    size -= entry.characters * 2;
  }
}

function sizeOf({ body, scripts }: LoadedSkill): number {
  return Object.values(scripts).reduce((sum, { text, path }) => sum + path.length + (text?.length ?? 0), body.length);
}

async function read(
  catalog: Catalog,
  limits: ReadingLimits,
  record: SkillRecord,
  options: LoadSkillOptions,
): Promise<LoadedSkill> {
  const { metadata } = record;
  const body = await catalog.body(record);
  const files = catalog.files(record).list(limits.maxListedFiles).files.filter(isRunnable);
  const scripts: [string, LoadedScript][] = [];
  for (const file of files) {
    const text = options.scripts === true ? await readScript(catalog, limits, record, file) : undefined;
    scripts.push([file.path, text === undefined ? file : { ...file, text }]);
  }
  return Object.freeze({ name: metadata.name, metadata, body, scripts: Object.freeze(Object.fromEntries(scripts)) });
}

/** Lists a program without its content if it is binary, too large or gone. */
async function readScript(
  catalog: Catalog,
  limits: ReadingLimits,
  record: SkillRecord,
  { path }: SkillFile,
): Promise<string | undefined> {
  try {
    const bytes = await catalog.files(record).read(path, limits.maxFileBytes);
    return readLines(bytes, { skill: record.metadata.name, path }, {});
  } catch (error) {
    if (SkillwrightError.isInstance(error)) return undefined;
    throw error;
  }
}
