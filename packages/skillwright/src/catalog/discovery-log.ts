import { locationOf, type Diagnostic } from '../spec/diagnostics/diagnostic.ts';
import { silentLogger, type Logger } from '../spec/events/logger.ts';
import type { SkillSource, SkillFiles } from '../spec/source.ts';
import { isEmptyDiff, snapshotDiff } from './snapshot/snapshot-diff.ts';
import type { Snapshot } from './snapshot/snapshot.ts';
import { SkillwrightError } from '../spec/errors/error.ts';
import type { SkillRecord } from './snapshot/skill-record.ts';

interface FinishedDiscovery {
  readonly found: Snapshot;
  /** The previous snapshot, whose findings were already logged. */
  readonly before: Snapshot | undefined;
  readonly durationMs: number;
}

/**
 * Logs a finished discovery: each finding at its level, then one line with totals. If a watch finds nothing new, it
 * logs at debug level only.
 */
export function logDiscovery(
  logger: Logger,
  sources: readonly SkillSource[],
  { found: snapshot, before, durationMs }: FinishedDiscovery,
): void {
  if (logger === silentLogger) return;
  const said = new Set(before?.diagnostics.map(keyOf));
  for (const diagnostic of snapshot.diagnostics) {
    if (!said.has(keyOf(diagnostic))) logDiagnostic(logger, diagnostic);
  }
  for (const { name, filePath } of before === undefined ? snapshot.skills : [])
    logger.debug('Skill read.', { skill: name, path: filePath });
  for (const source of sources) logger.debug('Source searched.', { source: source.id, location: source.location });
  const isNews = before === undefined || !isEmptyDiff(snapshotDiff(before, snapshot));
  logger[isNews ? 'info' : 'debug']('Skills discovered.', {
    skills: snapshot.skills.length,
    diagnostics: snapshot.diagnostics.length,
    durationMs: Math.round(durationMs),
  });
}

export function logDiagnostic(logger: Logger, diagnostic: Diagnostic): void {
  const { code, category, message, hint } = diagnostic;
  logger[levelOf(diagnostic)](message, {
    code,
    category,
    location: locationOf(diagnostic),
    ...(hint === undefined ? {} : { hint }),
  });
}

function keyOf({ code, message, path, line }: Diagnostic): string {
  return JSON.stringify([code, path, line, message]);
}

/**
 * The level of a finding. A problem while finding skills is a warning, because discovery continues; an unreadable skill
 * or a broken rule is an error.
 */
function levelOf(diagnostic: Diagnostic): 'debug' | 'warn' | 'error' {
  if (diagnostic.severity === 'info') return 'debug';
  return diagnostic.severity === 'error' && diagnostic.category !== 'discovery' ? 'error' : 'warn';
}

/**
 * Wraps the files of a skill to log failures: a path that tries to leave the skill as an error, a missing file as a
 * warning.
 */
export function logFailures(
  record: SkillRecord,
  logger: Logger,
): Pick<SkillFiles, 'resolve' | 'read' | 'readSync' | 'list'> {
  const { files } = record;
  const log = (error: unknown): unknown => {
    if (!SkillwrightError.isInstance(error)) return error;
    const level = error.code === 'PathNotAllowed' ? 'error' : 'warn';
    logger[level](error.message, { code: error.code, skill: record.metadata.name, ...error.data });
    return error;
  };
  const guarded = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw log(error);
    }
  };
  return {
    resolve: (path) => guarded(() => files.resolve(path)),
    readSync: (path, maxBytes) => guarded(() => files.readSync(path, maxBytes)),
    async read(path, maxBytes) {
      try {
        return await files.read(path, maxBytes);
      } catch (error) {
        throw log(error);
      }
    },
    list: (limit) => files.list(limit),
  };
}
