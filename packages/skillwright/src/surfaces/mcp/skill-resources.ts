import type { McpServer } from '@modelcontextprotocol/server';
import {
  skillEntry,
  SkillsExtension,
  SKILL_LIMITS,
  type Skill,
  type SkillReadResult,
  type SkillSource,
} from '@modelcontextprotocol/server/ext/skills';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import { listedDescription } from '../../select/listing/listing-text.ts';
import type { SkillFile } from '../../spec/skill.ts';
import { messageOf } from '../../spec/errors/error.ts';
import type { ServedSkills } from './served-skills.ts';

const BASE = 'skill://';
const MAIN = 'SKILL.md';
/**
 * How many skills a page of a list has. The number is small because the digests require reading every file of these
 * skills.
 */
const PAGE_SIZE = 50;
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Gets the reason why a skill is not published. */
export type OnUnpublished = (message: string) => void;

/**
 * Publishes the skills that the model may use by the MCP extension for skills (SEP-2640): their files are resources
 * with digests, for clients that load skills themselves.
 */
export function createSkillsExtension(
  skills: ServedSkills,
  onUnpublished: OnUnpublished,
): Pick<SkillsExtension, 'attach'> {
  const extension = new SkillsExtension({
    source: publishedSkills(skills, onUnpublished),
    onWarning: ({ path, message }) => onUnpublished(`${path}: ${message}`),
  });
  return { attach: (mcp: McpServer) => extension.attach(mcp) };
}

function publishedSkills(skills: ServedSkills, onUnpublished: OnUnpublished): SkillSource {
  const known = new WeakMap<SkillRecord, { readonly digest: string; readonly entry: Promise<Skill | undefined> }>();

  const records = (): SkillRecord[] => {
    const { skills: shown, snapshot } = skills.begin();
    return shown.flatMap((skill) => snapshot.recordOf(skill) ?? []);
  };
  /** The resource entry of a skill, which is made again only if a file changed. */
  const entryOf = async (record: SkillRecord): Promise<Skill | undefined> => {
    const digest = await skills.digestOf(record);
    let made = known.get(record);
    if (made?.digest !== digest) known.set(record, (made = { digest, entry: makeEntry(record, onUnpublished) }));
    return made.entry;
  };

  return {
    async list({ cursor }) {
      const all = records();
      const start = cursor === undefined ? 0 : all.findIndex((record) => pathOf(record) === cursor);
      const page = start === -1 ? [] : all.slice(start, start + PAGE_SIZE);
      const entries = await Promise.all(page.map(entryOf));
      const next = all[start + page.length];
      return {
        skills: entries.filter((entry) => entry !== undefined),
        ...(next === undefined || page.length === 0 ? {} : { nextCursor: pathOf(next) }),
      };
    },
    async get(uri) {
      const found = locate(uri, records());
      return found?.path === MAIN ? entryOf(found.record) : undefined;
    },
    async read(uri) {
      const found = locate(uri, records());
      return found === undefined ? undefined : readFile(found);
    },
    listResources: async () =>
      records().map((record) => ({
        uri: `${BASE}${pathOf(record)}/${MAIN}`,
        name: record.metadata.name,
        description: listedDescription(record.metadata),
        mimeType: 'text/markdown',
      })),
  };
}

/** `plugin/skill`: the last part is the skill's own name. */
function pathOf({ metadata }: SkillRecord): string {
  return metadata.name.split(':').map(encodeURIComponent).join('/');
}

interface Located {
  readonly record: SkillRecord;
  /** The path of a file in the skill. */
  readonly path: string;
}

/** Finds the file for a URI among the files that the skills list, so that nothing outside a skill can be read. */
function locate(uri: string, records: readonly SkillRecord[]): Located | undefined {
  for (const record of records) {
    const start = `${BASE}${pathOf(record)}/`;
    const path = uri.startsWith(start) ? decode(uri.slice(start.length)) : undefined;
    if (path !== undefined && (path === MAIN || filesOf(record).some((file) => file.path === path)))
      return { record, path };
  }
  return undefined;
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** The files beside SKILL.md, including one more than may be published, which shows that there are too many. */
function filesOf({ files }: SkillRecord): readonly SkillFile[] {
  return files.list(SKILL_LIMITS.files + 1).files.filter(({ path }) => path.toLowerCase() !== 'skill.md');
}

async function readBytes({ record, path }: Located): Promise<Uint8Array> {
  return path === MAIN ? record.files.readSkill(SKILL_LIMITS.bytes) : record.files.read(path, SKILL_LIMITS.bytes);
}

async function readFile(located: Located): Promise<SkillReadResult> {
  const bytes = await readBytes(located);
  try {
    return { text: STRICT_UTF8.decode(bytes), ...(located.path === MAIN ? { mimeType: 'text/markdown' } : {}) };
  } catch {
    return { bytes };
  }
}

/**
 * Makes the entry that publishes a skill. If there are too many files, or they are too large, the entry does not list
 * them.
 */
async function makeEntry(record: SkillRecord, onUnpublished: OnUnpublished): Promise<Skill | undefined> {
  try {
    const others = filesOf(record);
    const size = others.reduce((sum, { bytes }) => sum + bytes, 0);
    const isWhole = others.length < SKILL_LIMITS.files && size < SKILL_LIMITS.bytes;
    const paths = [MAIN, ...(isWhole ? others.map(({ path }) => path) : [])];
    const contents = await Promise.all(paths.map(async (path) => [path, await readBytes({ record, path })] as const));
    const path = record.metadata.name.replaceAll(':', '/');
    const entry = await skillEntry(path, Object.fromEntries(contents));
    return isWhole ? entry : { ...entry, resources: 'dynamic' };
  } catch (error) {
    onUnpublished(`Skill '${record.metadata.name}' is not published as a resource: ${messageOf(error)}`);
    return undefined;
  }
}
