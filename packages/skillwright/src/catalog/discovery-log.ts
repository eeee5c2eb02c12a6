import { locationOf, type Diagnostic } from '../spec/diagnostic.ts';
import { silentLogger, type Logger } from '../spec/logger.ts';
import type { SkillSource } from '../spec/source.ts';
import type { Snapshot } from './snapshot.ts';

/** Logs a finished discovery: each finding at its level, then one line with the sums. */
export function logDiscovery(
  logger: Logger,
  sources: readonly SkillSource[],
  snapshot: Snapshot,
  durationMs: number,
): void {
  for (const diagnostic of snapshot.diagnostics) {
    const { code, category, message, hint } = diagnostic;
    logger[levelOf(diagnostic)](message, {
      code,
      category,
      location: locationOf(diagnostic),
      ...(hint === undefined ? {} : { hint }),
    });
  }
  if (logger !== silentLogger) {
    for (const { name, filePath } of snapshot.skills) logger.debug('Skill read.', { skill: name, path: filePath });
  }
  for (const source of sources) logger.debug('Source searched.', { source: source.id, location: source.location });
  logger.info('Skills discovered.', {
    skills: snapshot.skills.length,
    diagnostics: snapshot.diagnostics.length,
    durationMs: Math.round(durationMs),
  });
}

/** Trouble in finding is a warning (the rest goes on); what cannot be read or breaks a rule is an error. */
function levelOf(diagnostic: Diagnostic): 'debug' | 'warn' | 'error' {
  if (diagnostic.severity === 'info') return 'debug';
  return diagnostic.severity === 'error' && diagnostic.category !== 'discovery' ? 'error' : 'warn';
}
