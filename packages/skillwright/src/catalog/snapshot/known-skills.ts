import { isSettled } from '../../sources/stamp.ts';
import type { ReadingLimits } from '../../spec/limits.ts';
import type { KnownFile } from '../../spec/source.ts';
import { VERSION } from '../../spec/program.ts';
import { decodeHeads, encodeHeads, type KnownFiles, type KnownHead, type KnownTools } from '../index-cache/heads.ts';
import type { IndexCache } from '../index-cache/index-cache.ts';
import { KnownFileList } from './known-files.ts';

/**
 * What earlier discoveries read, so that unchanged files need not be read again. Trust is not kept: every discovery
 * decides it anew.
 */
export interface KnownSkills {
  /**
   * Starts a discovery with what earlier discoveries read. The first discovery gets this from the index cache, if there
   * is one.
   */
  begin(): Generator<void, DiscoveryMemory, void>;
  /**
   * Replaces what is known with the results of one discovery. If they differ from the index cache, writes them there:
   * with `save` each time, otherwise only the first time.
   */
  commit(memory: DiscoveryMemory, options: { readonly save: boolean }): Generator<void, void, void>;
}

/** What a discovery knows already, and what it finds. */
export interface DiscoveryMemory {
  readonly head: (filePath: string) => KnownHead | undefined;
  readonly tools: (path: string) => KnownTools | undefined;
  /** Remembers a head that was known or has just been read, unless the file was written only a moment ago. */
  keepHead(filePath: string, head: KnownHead): void;
  keepTools(path: string, tools: KnownTools): void;
  /** Everything that was kept in this discovery. Returns the earlier object if nothing differs from it. */
  found(): KnownFiles;
}

const SEGMENT = 'heads';

export function createKnownSkills(cache: IndexCache | undefined, key: string): KnownSkills {
  let known: KnownFiles | undefined;
  /** The content of the index cache. */
  let saved: KnownFiles | undefined;
  let isFirst = true;
  let isWritable = true;
  return {
    *begin() {
      if (known === undefined) {
        const loaded = yield* load(cache, key);
        known = loaded;
        saved = loaded;
      }
      return createMemory(known);
    },
    *commit(memory, { save }) {
      known = memory.found();
      const isDue = save || isFirst;
      isFirst = false;
      if (cache === undefined || !isDue || !isWritable || known === saved) return;
      const found = known;
      isWritable = cache.write(SEGMENT, key, yield* encodeHeads(found));
      saved = found;
    },
  };
}

/** Everything that influences how a file is read; results under another key cannot be used. */
export function readingKey(strict: boolean, limits: ReadingLimits): string {
  const { headBytes, maxFrontmatterBytes, maxSkillBytes, maxManifestBytes } = limits;
  return JSON.stringify([VERSION, strict, headBytes, maxFrontmatterBytes, maxSkillBytes, maxManifestBytes]);
}

function* load(cache: IndexCache | undefined, key: string): Generator<void, KnownFiles, void> {
  const bytes = cache?.read(SEGMENT, key);
  try {
    if (bytes !== undefined) return yield* decodeHeads(bytes);
  } catch {
    // The bytes are complete, but this code did not write them: start with nothing.
  }
  return { heads: new KnownFileList(), tools: new KnownFileList() };
}

function createMemory(before: KnownFiles): DiscoveryMemory {
  const startedAt = Date.now();
  const heads = collect(before.heads, startedAt);
  const tools = collect(before.tools, startedAt);
  return {
    head: (filePath) => before.heads.get(filePath),
    tools: (path) => before.tools.get(path),
    keepHead: heads.keep,
    keepTools: tools.keep,
    found() {
      const found = { heads: heads.found(), tools: tools.found() };
      return found.heads === before.heads && found.tools === before.tools ? before : found;
    },
  };
}

interface Collection<Known> {
  readonly keep: (path: string, known: Known) => void;
  readonly found: () => KnownFileList<Known>;
}

function collect<Known extends KnownFile>(before: KnownFileList<Known>, startedAt: number): Collection<Known> {
  const paths: string[] = [];
  const values: Known[] = [];
  return {
    keep(path, known) {
      if (!isSettled(known.stamp, startedAt)) return;
      paths.push(path);
      values.push(known);
    },
    found() {
      const found = new KnownFileList(paths, values);
      return found.isSame(before) ? before : found;
    },
  };
}
