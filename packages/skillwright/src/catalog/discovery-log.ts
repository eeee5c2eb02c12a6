import { locationOf, type Diagnostic } from '../spec/diagnostics/diagnostic.ts';
import { silentLogger, type Logger } from '../spec/events/logger.ts';
import type { SkillSource } from '../spec/source.ts';
import { isEmptyDiff, snapshotDiff } from './snapshot/snapshot-diff.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

interface FinishedDiscovery {
  readonly found: Snapshot;
  /** What was found before, of which there is nothing more to say. */
  readonly before: Snapshot | undefined;
  readonly durationMs: number;
}

/**
 * Logs a finished discovery: each finding at its level, then one line with the sums. A watch that finds what was there
 * before logs at debug level only.
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

/** Trouble in finding is a warning (the rest goes on); what cannot be read or breaks a rule is an error. */
function levelOf(diagnostic: Diagnostic): 'debug' | 'warn' | 'error' {
  if (diagnostic.severity === 'info') return 'debug';
  return diagnostic.severity === 'error' && diagnostic.category !== 'discovery' ? 'error' : 'warn';
}
