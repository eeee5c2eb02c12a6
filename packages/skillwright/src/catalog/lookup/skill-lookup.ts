import { locationOf } from '../../spec/diagnostics/diagnostic.ts';
import { SkillInvocationError, SkillParsingError, SkillValidationError } from '../../spec/errors/error.ts';
import type { SkillTool } from '../../spec/skill.ts';
import { closestName, didYouMean, quotedNames } from '../../parse/closest-name.ts';
import { unblockHint, type BlockedSkill, type SkillRecord } from '../snapshot/skill-record.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { splitToolName } from '../snapshot/name-clashes.ts';

const NAMES_SHOWN = 10;

/** The skill of this name. Throws an error that says why it cannot be found. */
export function requireSkill(
  snapshot: Snapshot,
  name: string,
  options: { plugin?: string | undefined } = {},
): SkillRecord {
  if (typeof name !== 'string') throw notFound(snapshot, String(name));
  const record = snapshot.find(name, options);
  if (record !== undefined) return record;
  const wanted = options.plugin === undefined ? name : `${options.plugin}:${name}`;
  throw blockedNamed(snapshot, wanted) ?? refusedError(snapshot, name) ?? notFound(snapshot, wanted);
}

/** The tool of this name; `skill__tool` names a tool of one skill. */
export function requireTool(snapshot: Snapshot, name: string): { record: SkillRecord; tool: SkillTool } {
  const winner = snapshot.tools.get(name);
  const winning = winner === undefined ? undefined : snapshot.recordOf(winner.skill);
  if (winner !== undefined && winning !== undefined) return { record: winning, tool: winner.tool };
  const [skill, own] = splitToolName(name);
  const record = snapshot.find(skill);
  const tool = record?.metadata.tools.find((candidate) => candidate.name === own);
  if (record !== undefined && tool !== undefined) return { record, tool };
  const blocked = record === undefined ? blockedNamed(snapshot, skill === '' ? name : skill) : undefined;
  if (blocked !== undefined && snapshot.find(name) === undefined) throw blocked;
  const names = [...snapshot.tools.keys()];
  throw nameNotFound('tool', name, names, { note: blockedNote(snapshot) });
}

/**
 * Lists blocked skills in the message about an unknown tool: one of them may have the tool, but their tools.json is not
 * read.
 */
function blockedNote({ blocked }: Snapshot): string {
  const names = quotedNames(
    blocked.map((skill) => skill.name),
    NAMES_SHOWN,
  );
  return blocked.length === 0 ? '' : ` Blocked skills, whose tools are unknown: [${names}]`;
}

/** If all skills found are blocked, throws `SkillBlocked` for the first. */
export function assertNotAllBlocked({ skills, blocked: [first] }: Snapshot): void {
  if (skills.length === 0 && first !== undefined) throw blockedError(first);
}

function notFound(snapshot: Snapshot, name: string): SkillInvocationError {
  const names = snapshot.skills.map((skill) => skill.name);
  return nameNotFound('skill', name, names, { suggestion: snapshot.suggest(name) });
}

interface NotFoundParts {
  /** The name to suggest. Default: the most similar name. */
  readonly suggestion?: string | undefined;
  /** How many names to list. Default 10. */
  readonly most?: number;
  readonly note?: string;
}

/** `SkillNotFound` or `ToolNotFound`, with the names that exist. */
export function nameNotFound(
  kind: 'skill' | 'tool',
  name: string,
  names: readonly string[],
  parts: NotFoundParts = {},
): SkillInvocationError {
  const [code, word] = kind === 'skill' ? (['SkillNotFound', 'Skill'] as const) : (['ToolNotFound', 'Tool'] as const);
  const { most = NAMES_SHOWN, note = '' } = parts;
  const suggestion = 'suggestion' in parts ? parts.suggestion : closestName(name, names);
  const available = `Available ${kind}s: [${quotedNames(names, most)}]${note}`;
  return new SkillInvocationError(code, `${word} '${name}' not found.${didYouMean(suggestion)} ${available}`, {
    data: { [kind]: name, suggestion: suggestion ?? null, available: names.length },
  });
}

/** Throws `SkillBlocked` for a blocked skill. Used by callers that found the skill before it was blocked. */
export function assertNotBlocked(snapshot: Snapshot | undefined, { metadata }: SkillRecord): void {
  const blocked = snapshot?.blocked.find(({ path }) => path === metadata.filePath);
  if (blocked !== undefined) throw blockedError(blocked);
}

/** A blocked skill gets its own error instead of "not found". */
function blockedNamed(snapshot: Snapshot, name: string): SkillInvocationError | undefined {
  const blocked = snapshot.findBlocked(name);
  return blocked && blockedError(blocked, name);
}

function blockedError(blocked: BlockedSkill, name: string = blocked.name): SkillInvocationError {
  const message = `Skill '${name}' at ${blocked.path} is blocked and never loads. ${unblockHint(blocked)}`;
  return new SkillInvocationError('SkillBlocked', message, {
    data: { skill: name, path: blocked.path, realDir: blocked.realDir },
  });
}

/** A refused skill gets its own error instead of "not found". */
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
