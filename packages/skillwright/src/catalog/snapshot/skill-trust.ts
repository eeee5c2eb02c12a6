import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import { SkillwrightError, invalidOption } from '../../spec/errors/error.ts';
import type { SkillFields } from '../../spec/skill.ts';
import type { SkillSource } from '../../spec/source.ts';
import {
  MODEL_PROVENANCE,
  TRUST_LEVELS,
  type DecideTrust,
  type TrustLevel,
  type TrustSubject,
} from '../../spec/trust.ts';

/** How far a skill is trusted: the host's decision, or else its source's declaration. Never throws. */
export function decideSkillTrust(
  { realDir, declared }: TrustSubject,
  filePath: string,
  decide: DecideTrust | undefined,
  diagnostics: Diagnostic[],
): TrustLevel {
  if (decide === undefined) return declared;
  const undecided = (reason: string): TrustLevel => {
    const message = `${filePath} is untrusted, because the host's trust function ${reason}.`;
    diagnostics.push(createDiagnostic('trust-undecided', { path: filePath, message }));
    return 'untrusted';
  };
  let answer: unknown;
  try {
    answer = decide({ realDir, declared });
  } catch (error) {
    return undecided(`threw: ${error instanceof Error ? error.message : typeof error}`);
  }
  if (answer === undefined) return declared;
  if (isTrustLevel(answer)) return answer;
  // Ignore what an asynchronous function may still throw, so that it does not end the process.
  if (answer instanceof Promise) answer.catch(() => {});
  return undecided(`returned ${answer instanceof Promise ? 'a promise' : shown(answer)}`);
}

/** A skill that a model wrote is untrusted, wherever it is stored. */
export function isModelMade({ metadata }: Pick<SkillFields, 'metadata'>): boolean {
  return metadata?.[MODEL_PROVENANCE.key] === MODEL_PROVENANCE.value;
}

/** Rejects a source without a declared trust, so that it is not mistaken for a trusted source. */
export function assertTrust(sources: readonly SkillSource[], decide: unknown): void {
  if (decide !== undefined && typeof decide !== 'function')
    throw invalidOption('trust', `must be a function here, not ${shown(decide)}`);
  for (const { id, trust } of sources) {
    if (isTrustLevel(trust)) continue;
    const message = `The 'trust' of source '${id}' must be one of ${TRUST_LEVELS.join(', ')}, not ${shown(trust)}.`;
    throw new SkillwrightError('InvalidOptions', message, { data: { option: 'sources', id } });
  }
}

function isTrustLevel(value: unknown): value is TrustLevel {
  return TRUST_LEVELS.includes(value as TrustLevel);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `'${value.slice(0, 40)}'` : value === null ? 'null' : typeof value;
}
