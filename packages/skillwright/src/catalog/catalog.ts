import type { EventListener } from '../spec/events.ts';
import { SkillDiscoveryError, SkillParsingError, SkillwrightError } from '../spec/error.ts';
import type { ReadingLimits } from '../spec/limits.ts';
import type { Logger } from '../spec/logger.ts';
import type { SkillFiles, SkillSource } from '../spec/source.ts';
import type { DecideTrust } from '../spec/trust.ts';
import { parseSkillBody } from '../parse/skill-body.ts';
import { drive, driveSync } from '../sources/drive.ts';
import { createBodyCache } from './body-cache.ts';
import { logDiscovery } from './discovery-log.ts';
import { logFailures } from './file-log.ts';
import type { SkillRecord } from './skill-record.ts';
import { assertTrust } from './skill-trust.ts';
import { buildSnapshot } from './snapshot-builder.ts';
import type { Snapshot } from './snapshot.ts';

export interface CatalogOptions {
  /** Highest precedence first. */
  readonly sources: readonly SkillSource[];
  readonly limits: ReadingLimits;
  readonly strict: boolean;
  readonly thorough: boolean;
  /** Default: what the sources declare. */
  readonly decideTrust?: DecideTrust | undefined;
  readonly logger: Logger;
  /** Never throws. */
  readonly emit: EventListener;
}

/** Holds the newest snapshot of some sources, and the bodies of skills that were loaded. */
export interface Catalog {
  /** The newest snapshot, `undefined` before the first refresh. */
  readonly snapshot: Snapshot | undefined;
  readonly sources: readonly SkillSource[];
  /** Scans again. Of overlapping refreshes the one started last is kept. */
  refresh(signal?: AbortSignal): Promise<Snapshot>;
  refreshSync(): Snapshot;
  /** The instructions of a skill, read on first use and kept until the next refresh. */
  body(record: SkillRecord): Promise<string>;
  bodySync(record: SkillRecord): string;
  /** The files of a skill, with refusals and failures logged. */
  files(record: SkillRecord): Pick<SkillFiles, 'resolve' | 'read' | 'readSync' | 'list'>;
  /** Forgets loaded bodies. */
  forget(): void;
}

export function createCatalog(options: CatalogOptions): Catalog {
  const { sources, limits, strict, logger, decideTrust } = options;
  assertTrust(sources, decideTrust);
  const thorough = strict || options.thorough;
  const bodies = createBodyCache(limits.bodyCacheBytes);
  const loading = new Map<string, Promise<string>>();
  let snapshot: Snapshot | undefined;
  let started = 0;
  let kept = 0;
  /** Goes up whenever bodies are forgotten: what was read before must not be kept after. */
  let generation = 0;

  const { emit } = options;

  const begin = (): { finish(found: Snapshot): Snapshot; giveUp(error: unknown): unknown } => {
    started += 1;
    const turn = started;
    const startedAt = performance.now();
    emit({ type: 'discovery-start', sources: sources.map((source) => source.location) });
    return {
      finish(found) {
        const durationMs = performance.now() - startedAt;
        if (turn > kept) {
          kept = turn;
          snapshot = found;
          forget();
        }
        logDiscovery(logger, sources, found, durationMs);
        emit({ type: 'discovery-end', skills: found.skills.length, diagnostics: found.diagnostics, durationMs });
        return found;
      },
      giveUp(error) {
        const durationMs = performance.now() - startedAt;
        emit({ type: 'discovery-end', skills: 0, diagnostics: [], durationMs, incomplete: true });
        return error;
      },
    };
  };

  const build = ({ interruptible }: { interruptible: boolean }): ReturnType<typeof buildSnapshot> =>
    buildSnapshot(sources, { limits, strict, interruptible, thorough, decideTrust });

  const keep = (record: SkillRecord, bytes: Uint8Array, readIn = generation): string => {
    const { metadata } = record;
    const parsed = parseSkillBody(bytes);
    if (!parsed.ok) {
      throw new SkillParsingError(
        'MalformedText',
        `${metadata.filePath} is not valid UTF-8: see the byte at offset ${parsed.offset}.`,
        {
          data: { skill: metadata.name, path: metadata.filePath, offset: parsed.offset },
        },
      );
    }
    // Bytes read before a refresh must not outlive it.
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

  const forget = (): void => {
    generation += 1;
    bodies.clear();
    loading.clear();
  };

  return {
    sources,
    get snapshot() {
      return snapshot;
    },
    async refresh(signal) {
      signal?.throwIfAborted();
      const discovery = begin();
      try {
        return discovery.finish(await drive(build({ interruptible: true }), signal));
      } catch (error) {
        throw discovery.giveUp(signal?.aborted === true ? signal.reason : asDiscoveryError(error));
      }
    },
    refreshSync() {
      const discovery = begin();
      try {
        return discovery.finish(driveSync(build({ interruptible: false })));
      } catch (error) {
        throw discovery.giveUp(asDiscoveryError(error));
      }
    },
    async body(record) {
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
    bodySync: (record) => cached(record) ?? keep(record, record.files.readSkillSync(limits.maxSkillBytes)),
    files: (record) => logFailures(record, logger),
    forget,
  };
}

/** Only a defect in a source gets here: what skills say never throws. */
function asDiscoveryError(error: unknown): unknown {
  if (SkillwrightError.isInstance(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new SkillDiscoveryError('DiscoveryFailed', `Discovery failed: ${reason}`, { cause: error });
}
