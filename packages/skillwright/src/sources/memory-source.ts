import { basename, posix } from 'node:path';
import { SkillInvocationError } from '../spec/errors/error.ts';
import type { SkillFile } from '../spec/skill.ts';
import type { SkillCandidate, SkillFiles, SkillSource } from '../spec/source.ts';
import type { TrustLevel } from '../spec/trust.ts';
import { containPath } from './real-path.ts';
import { SKIPPED_DIRECTORIES } from './directory/skill-directory-entries.ts';

/** A skill given as text: `files` maps relative paths to their content and must include `SKILL.md`. */
export interface MemorySkill {
  /** Takes the place of the directory name; `group/skill` nests. */
  readonly directory: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
}

/**
 * A source of skills that exist only in memory: for tests, generated skills and hosts that store skills elsewhere.
 * Trusted by default.
 */
export function createMemorySource(
  skills: readonly MemorySkill[],
  options: { id?: string; trust?: TrustLevel } = {},
): SkillSource {
  const id = options.id ?? 'memory';
  return {
    id,
    kind: 'memory',
    location: `${id} (in memory)`,
    trust: options.trust ?? 'trusted',
    realRoots: () => [],
    sharedRoots: () => [],
    *scan(context) {
      const sorted = [...skills].sort((a, b) => (a.directory < b.directory ? -1 : 1));
      yield { type: 'candidates', candidates: sorted.map((skill) => toCandidate(skill, id, context.limits)) };
    },
  };
}

function toCandidate(
  skill: MemorySkill,
  id: string,
  limits: { headBytes: number; maxSkillBytes: number },
): SkillCandidate {
  const baseDir = `${id}:/${skill.directory}`;
  const files = new MemoryFiles(skill, baseDir);
  const name = files.skillFileName();
  const content = files.bytesOf(name);
  const paths = Object.keys(skill.files);
  return {
    source: 'memory',
    filePath: `${baseDir}/${name}`,
    baseDir,
    realDir: baseDir,
    realFile: `${baseDir}/${name}`,
    directoryName: basename(skill.directory),
    groups: skill.directory.split('/').slice(0, -1),
    behindLink: false,
    head: content,
    headLength: Math.min(content.length, limits.headBytes),
    complete: content.length <= limits.headBytes,
    oversized: content.length > limits.maxSkillBytes,
    hasToolsFile: paths.includes('tools.json'),
    files,
  };
}

function isContent(path: string): boolean {
  return !path
    .split('/')
    .slice(0, -1)
    .some((step) => SKIPPED_DIRECTORIES.has(step));
}

class MemoryFiles implements SkillFiles {
  readonly #skill: MemorySkill;
  readonly #baseDir: string;

  constructor(skill: MemorySkill, baseDir: string) {
    this.#skill = skill;
    this.#baseDir = baseDir;
  }

  /** The name under which the skill's SKILL.md is stored. A skill without a SKILL.md reads as if it were empty. */
  skillFileName(): string {
    const names = Object.keys(this.#skill.files).filter((path) => path.toLowerCase() === 'skill.md');
    return names.includes('SKILL.md') ? 'SKILL.md' : (names.sort()[0] ?? 'SKILL.md');
  }

  bytesOf(path: string): Uint8Array {
    const content = Object.hasOwn(this.#skill.files, path) ? this.#skill.files[path] : undefined;
    return typeof content === 'string' ? Buffer.from(content) : (content ?? new Uint8Array());
  }

  readSkillSync(maxBytes: number): Uint8Array {
    return this.readSync(this.skillFileName(), maxBytes);
  }

  readHeadSync(maxBytes: number): Uint8Array {
    return this.bytesOf(this.skillFileName()).subarray(0, maxBytes);
  }

  async readSkill(maxBytes: number): Promise<Uint8Array> {
    return this.readSkillSync(maxBytes);
  }

  has(path: string): boolean {
    const contained = containPath(path);
    return contained.ok && Object.hasOwn(this.#skill.files, contained.path);
  }

  resolve(path: string): string {
    return `${this.#baseDir}/${this.#find(path)}`;
  }

  readSync(path: string, maxBytes: number): Uint8Array {
    const bytes = this.bytesOf(this.#find(path));
    if (bytes.length <= maxBytes) return bytes;
    throw this.#error('FileTooLarge', path, `it has ${bytes.length} bytes, the limit is ${maxBytes}`);
  }

  readTopSync(name: string, maxBytes: number): Uint8Array {
    return this.readSync(name, maxBytes);
  }

  async read(path: string, maxBytes: number): Promise<Uint8Array> {
    return this.readSync(path, maxBytes);
  }

  list(limit: number): { files: SkillFile[]; more: boolean } {
    const paths = Object.keys(this.#skill.files).filter(isContent).sort();
    const files = paths.slice(0, limit).map((path) => ({ path, bytes: this.bytesOf(path).length, executable: false }));
    return { files, more: paths.length > limit };
  }

  #find(path: string): string {
    const contained = containPath(path);
    if (!contained.ok) throw this.#error('PathNotAllowed', path, contained.reason);
    const normal = posix.normalize(contained.path);
    if (!Object.hasOwn(this.#skill.files, normal))
      throw this.#error('FileNotFound', path, 'the skill has no such file');
    return normal;
  }

  #error(code: 'FileTooLarge' | 'PathNotAllowed' | 'FileNotFound', path: string, reason: string): SkillInvocationError {
    const skill = basename(this.#skill.directory);
    const shown = path.replaceAll('\0', '\\0');
    return new SkillInvocationError(code, `Cannot read '${shown}' of skill '${skill}': ${reason}.`, {
      data: { skill, path: shown, reason },
    });
  }
}
