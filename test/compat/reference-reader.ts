import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CORE_SCHEMA, load } from 'js-yaml';

/** The findings of a walk that shares no code with the library. */
export interface ReferenceWalk {
  /** Every SKILL.md, in any case, that is not inside another skill. */
  readonly files: readonly string[];
  /** How many lie inside another skill, where no client looks for them. */
  readonly nested: number;
  /** Directories with a plugin or marketplace manifest. */
  readonly plugins: readonly string[];
}

const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules', 'dist', 'build', '__pycache__', '.venv']);
const MANIFEST_DIRECTORIES: ReadonlySet<string> = new Set(['.claude-plugin', '.codex-plugin']);

/** Finds skills with a plain walk. It does not follow links to directories, because targets inside the tree are found anyway. */
export function walkForSkills(root: string): ReferenceWalk {
  const files: string[] = [];
  const plugins: string[] = [];
  let nested = 0;
  const visit = (directory: string, isInside: boolean): void => {
    const entries = listDirectory(directory);
    const own = entries.filter((entry) => entry.name.toLowerCase() === 'skill.md' && !entry.isDirectory());
    if (isInside) nested += own.length;
    else files.push(...own.map((entry) => join(directory, entry.name)));
    if (entries.some((entry) => MANIFEST_DIRECTORIES.has(entry.name))) plugins.push(directory);
    for (const entry of entries) {
      const isLeaf = isInside || (own.length > 0 && directory !== root);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) visit(join(directory, entry.name), isLeaf);
    }
  };
  visit(root, false);
  return { files, nested, plugins };
}

function listDirectory(directory: string): { name: string; isDirectory(): boolean }[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

/** A SKILL.md as read by a plain reader with a full YAML parser. */
export interface ReferenceSkill {
  readonly directoryName: string;
  /** Absent if there is no frontmatter, or if the full parser does not read it as a mapping. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Whether the frontmatter has a description, by the full parser or, if that fails, by a look at its lines. */
  readonly hasDescription: boolean;
  /** Whether there is text below the frontmatter. */
  readonly hasBody: boolean;
  /** Why the file cannot be read at all. */
  readonly unreadable?: string;
}

const FRONTMATTER = /^(?:[ \t]*\r?\n)*---[ \t]*\r?\n((?:[\s\S]*?\n)??)---[ \t]*(?:\r?\n|$)/;

export function readReferenceSkill(file: string): ReferenceSkill {
  const directoryName = basename(dirname(file));
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    return {
      directoryName,
      hasDescription: false,
      hasBody: false,
      unreadable: error instanceof Error ? error.message : String(error),
    };
  }
  const match = FRONTMATTER.exec(text);
  const body = match === null ? text : text.slice(match[0].length);
  const fields = match === null ? undefined : parseFully(match[1] ?? '');
  const hasDescription = fields === undefined ? DESCRIPTION_LINE.test(match?.[1] ?? '') : describes(fields);
  return {
    directoryName,
    hasDescription,
    hasBody: /\S/.test(body) && !body.includes('\0'),
    ...(fields === undefined ? {} : { fields }),
  };
}

const DESCRIPTION_LINE = /^["']?description["']?\s*:[ \t]*\S/im;

function describes(fields: Readonly<Record<string, unknown>>): boolean {
  const [, description] = Object.entries(fields).findLast(([key]) => key.toLowerCase() === 'description') ?? [];
  return typeof description === 'string' && description.trim() !== '';
}

function parseFully(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = load(text, { schema: CORE_SCHEMA, json: true });
    const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isMapping && isBounded(value, { nodes: 100_000 }) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the value stays small when its aliases are expanded: otherwise it is a bomb, and not compared. */
function isBounded(value: unknown, left: { nodes: number }): boolean {
  left.nodes -= 1;
  if (left.nodes < 0) return false;
  return typeof value !== 'object' || value === null || Object.values(value).every((item) => isBounded(item, left));
}
