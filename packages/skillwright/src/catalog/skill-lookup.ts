import { locationOf } from '../spec/diagnostic.ts';
import { SkillInvocationError, SkillParsingError, SkillValidationError } from '../spec/error.ts';
import type { SkillRecord } from './skill-record.ts';
import type { Snapshot } from './snapshot.ts';

const NAMES_SHOWN = 10;

/** The skill of this name, or an error that says what there is instead. */
export function requireSkill(
  snapshot: Snapshot,
  name: string,
  options: { plugin?: string | undefined } = {},
): SkillRecord {
  if (typeof name !== 'string') throw notFound(snapshot, String(name));
  const record = snapshot.find(name, options);
  if (record !== undefined) return record;
  const wanted = options.plugin === undefined ? name : `${options.plugin}:${name}`;
  throw refusedError(snapshot, name) ?? notFound(snapshot, wanted);
}

function notFound(snapshot: Snapshot, name: string): SkillInvocationError {
  const names = snapshot.skills.map((skill) => skill.name);
  const suggestion = snapshot.suggest(name);
  const shown = names.slice(0, NAMES_SHOWN).map((item) => `'${item}'`);
  if (names.length > NAMES_SHOWN) shown.push('…');
  const guess = suggestion === undefined ? '' : ` Did you mean '${suggestion}'?`;
  return new SkillInvocationError(
    'SkillNotFound',
    `Skill '${name}' not found.${guess} Available skills: [${shown.join(', ')}]`,
    {
      data: { skill: name, suggestion: suggestion ?? null, available: names.length },
    },
  );
}

/** A skill that is there but was refused is not "not found". */
function refusedError(snapshot: Snapshot, name: string): SkillParsingError | SkillValidationError | undefined {
  const refused = snapshot.findRefused(name);
  if (refused === undefined) return undefined;
  const errors = refused.diagnostics.filter((diagnostic) => diagnostic.severity === 'error');
  const isParsing = errors.some((diagnostic) => diagnostic.category !== 'validation');
  const reasons = errors.map((diagnostic) => `${diagnostic.message} (${locationOf(diagnostic)})`).join(' ');
  const ErrorClass = isParsing ? SkillParsingError : SkillValidationError;
  return new ErrorClass('SkillRefused', `Skill '${name}' at ${refused.path} could not be read. ${reasons}`, {
    data: { skill: name, path: refused.path, diagnostics: refused.diagnostics },
  });
}
