import { parseSkillBody } from '../../parse/skill/skill-body.ts';
import { SkillParsingError, SkillwrightError } from '../../spec/errors/error.ts';
import type { EventListener } from '../../spec/events/events.ts';
import type { Logger } from '../../spec/events/logger.ts';
import type { ReadingLimits } from '../../spec/limits.ts';
import type { SkillRecord } from '../snapshot/skill-record.ts';
import { decodeUtf8 } from '../../parse/utf8.ts';

/** Bodies by file. Evicts the least recently used when they exceed `maxBytes`. */
interface BodyCache {
  get(key: string): string | undefined;
  set(key: string, body: string): void;
  clear(): void;
}

/** The instructions of skills, read on first use. */
interface SkillBodies {
  read(record: SkillRecord): Promise<string>;
  readSync(record: SkillRecord): string;
  /** Forgets the cached bodies of all skills except these. */
  forget(except?: Iterable<SkillRecord>): void;
}

interface SkillBodiesOptions {
  readonly limits: ReadingLimits;
  readonly logger: Logger;
  /** Receives events. Never throws. */
  readonly emit: EventListener;
}

export function createSkillBodies({ limits, logger, emit }: SkillBodiesOptions): SkillBodies {
  const bodies = createBodyCache(limits.bodyCacheBytes);
  const loading = new Map<string, Promise<string>>();
  /** Increases whenever bodies are forgotten, so that bytes read earlier are not cached afterward. */
  let generation = 0;

  const keep = (record: SkillRecord, bytes: Uint8Array, readIn = generation): string => {
    const { metadata } = record;
    const parsed = parseSkillBody(bytes);
    if (!parsed.ok) {
      throw new SkillParsingError(
        'MalformedText',
        `${metadata.filePath} is not valid UTF-8 at byte ${parsed.offset}.`,
        {
          data: { skill: metadata.name, path: metadata.filePath, offset: parsed.offset },
        },
      );
    }
    // Do not cache bytes that were read before a refresh.
    if (readIn === generation) bodies.set(record.realFile, parsed.body);
    logger.info('Skill loaded.', { skill: metadata.name, path: metadata.filePath, bytes: bytes.length });
    emit({ type: 'skill-load', skill: metadata.name, cached: false, bytes: bytes.length });
    return parsed.body;
  };

  const cached = (record: SkillRecord): string | undefined => {
    const body = bodies.get(record.realFile);
    if (body !== undefined) emit({ type: 'skill-load', skill: record.metadata.name, cached: true, bytes: body.length });
    return body;
  };

  return {
    async read(record) {
      const known = cached(record) ?? loading.get(record.realFile);
      if (known !== undefined) return known;
      const readIn = generation;
      const reading = record.files.readSkill(limits.maxSkillBytes).then((bytes) => keep(record, bytes, readIn));
      loading.set(record.realFile, reading);
      try {
        return await reading;
      } finally {
        if (loading.get(record.realFile) === reading) loading.delete(record.realFile);
      }
    },
    readSync: (record) => cached(record) ?? keep(record, record.files.readSkillSync(limits.maxSkillBytes)),
    forget(except = []) {
      generation += 1;
      const kept = Array.from(except, ({ realFile }) => [realFile, bodies.get(realFile)] as const);
      bodies.clear();
      loading.clear();
      for (const [realFile, body] of kept) if (body !== undefined) bodies.set(realFile, body);
    },
  };
}

function createBodyCache(maxBytes: number): BodyCache {
  const bodies = new Map<string, string>();
  let size = 0;
  const remove = (key: string): void => {
    const body = bodies.get(key);
    if (body === undefined) return;
    bodies.delete(key);
    size -= bytesOf(body);
  };
  return {
    get(key) {
      const body = bodies.get(key);
      if (body === undefined) return undefined;
      bodies.delete(key);
      bodies.set(key, body);
      return body;
    },
    set(key, body) {
      remove(key);
      bodies.set(key, body);
      size += bytesOf(body);
      for (const oldest of bodies.keys()) {
        if (size <= maxBytes || oldest === key) break;
        remove(oldest);
      }
    },
    clear() {
      bodies.clear();
      size = 0;
    },
  };
}

/** The most memory that a string can take: two bytes a character. */
function bytesOf(body: string): number {
  return body.length * 2;
}

/** Lines to read, 1-based and inclusive. Default: all. */
export interface LineRange {
  readonly startLine?: number | undefined;
  readonly endLine?: number | undefined;
}

/** The text of a bundled file, or some of its lines, without a byte order mark. */
export function readLines(bytes: Uint8Array, file: { skill: string; path: string }, range: LineRange): string {
  assertLine('startLine', range.startLine);
  assertLine('endLine', range.endLine);
  const decoded = decodeUtf8(bytes);
  if (!decoded.ok) {
    const message = `'${file.path}' of skill '${file.skill}' is not valid UTF-8 at byte ${decoded.offset}.`;
    throw new SkillParsingError('MalformedText', message, { data: { ...file, offset: decoded.offset } });
  }
  const text = decoded.text.startsWith('\uFEFF') ? decoded.text.slice(1) : decoded.text;
  if (range.startLine === undefined && range.endLine === undefined) return text;
  return text
    .split('\n')
    .slice((range.startLine ?? 1) - 1, range.endLine)
    .join('\n');
}

function assertLine(option: string, line: number | undefined): void {
  if (line === undefined || (Number.isSafeInteger(line) && line >= 1)) return;
  throw new SkillwrightError(
    'InvalidOptions',
    `Option '${option}' must be a line number of at least 1, not ${String(line)}.`,
    { data: { option } },
  );
}
