import type { Snapshot } from '../../../catalog/snapshot/snapshot.ts';
import { parseTriggerSet, type TriggerCase } from '../../../parse/manifest/trigger-set.ts';
import type { EvalCase } from '../../../select/evaluation/outcome.ts';
import { createDiagnostic, type Diagnostic } from '../../../spec/diagnostics/diagnostic.ts';
import { PROGRAM } from '../../../spec/program.ts';
import { shorten } from '../../../parse/shown-value.ts';
import { unreadable, type TriggerSetFile } from './trigger-set-files.ts';

/** The queries of several trigger sets. */
export interface TriggerSets {
  /** Files with at least one query that is run. */
  readonly files: number;
  readonly cases: readonly EvalCase[];
  readonly diagnostics: readonly Diagnostic[];
}

const NAMES_SHOWN = 3;

/** Reads every file. Counts a query once for each skill, even if several files repeat it. */
export function readTriggerSets(files: readonly TriggerSetFile[], snapshot: Snapshot): TriggerSets {
  const known = new Map<string, EvalCase>();
  const read = files.map((file) => readSet(file, snapshot, known));
  return {
    files: read.filter(({ cases }) => cases.length > 0).length,
    cases: read.flatMap(({ cases }) => cases),
    diagnostics: read.flatMap(({ diagnostics }) => diagnostics),
  };
}

interface ReadSet {
  readonly cases: readonly EvalCase[];
  readonly diagnostics: readonly Diagnostic[];
}

function readSet(file: TriggerSetFile, snapshot: Snapshot, known: Map<string, EvalCase>): ReadSet {
  let text: string;
  try {
    text = new TextDecoder().decode(file.read());
  } catch (error) {
    return { cases: [], diagnostics: [unreadable(file, error)] };
  }
  const parsed = parseTriggerSet(text, file.path);
  const own = parsed.diagnostics.map((diagnostic) =>
    diagnostic.code === 'trigger-set-foreign' && file.isNamed
      ? { ...diagnostic, severity: 'error' as const }
      : diagnostic,
  );
  const named = resolveCases(parsed.cases, parsed.skill, file, snapshot);
  const distinct = dropRepeated(named.cases, file.path, known);
  return { cases: distinct.cases, diagnostics: [...own, ...named.diagnostics, ...distinct.diagnostics] };
}

/** The cases of a skill that was not found: the line of the first, and the number of cases. */
interface LostCases {
  readonly line: number | undefined;
  readonly count: number;
}

/**
 * Finds the skill of each case: the skill that the case names, or that its file names, or whose directory contains the
 * file.
 */
function resolveCases(
  cases: readonly TriggerCase[],
  setSkill: string | undefined,
  { path, owner }: TriggerSetFile,
  snapshot: Snapshot,
): ReadSet {
  const nameOf = (name: string): string | undefined => {
    const found = snapshot.find(name)?.metadata;
    return found !== undefined && snapshot.recordOf(found) !== undefined ? found.name : undefined;
  };
  const own = (setSkill === undefined ? undefined : nameOf(setSkill)) ?? owner?.name;
  const resolved: EvalCase[] = [];
  const unknown = new Map<string | undefined, LostCases>();
  for (const { skill, query, shouldTrigger, line } of cases) {
    const name = skill === undefined ? own : nameOf(skill);
    if (name !== undefined) resolved.push({ skill: name, query, shouldTrigger, path, line });
    else {
      const lost = unknown.get(skill);
      unknown.set(skill, { line: lost === undefined ? line : lost.line, count: (lost?.count ?? 0) + 1 });
    }
  }
  const isMisnamed = setSkill !== undefined && owner !== undefined && nameOf(setSkill) === undefined;
  return {
    cases: resolved,
    diagnostics: [
      ...(isMisnamed ? [misnamed(setSkill, owner.name, path)] : []),
      ...[...unknown].map(([name, lost]) => unknownSkill(name ?? setSkill, lost, path, snapshot)),
    ],
  };
}

function misnamed(name: string, owner: string, path: string): Diagnostic {
  const message = `It is for the skill '${short(name)}', which was not found. It is in the directory of '${owner}' and is run for that skill.`;
  const hint = `Write '${owner}', or move the file to the right skill.`;
  return createDiagnostic('trigger-skill', { severity: 'warning', path, message, hint });
}

function unknownSkill(name: string | undefined, lost: LostCases, path: string, snapshot: Snapshot): Diagnostic {
  const { line } = lost;
  const count = lost.count === 1 ? 'A query' : `${lost.count} queries`;
  if (name === undefined) {
    const message = `${count} cannot be run, because no skill is given.`;
    const hint = "Move the file to the evals directory of its skill, or add 'skill_name'.";
    return createDiagnostic('trigger-skill', { path, line, message, hint });
  }
  if (snapshot.findBlocked(name) !== undefined) {
    const message = `${count} cannot be run: skill '${short(name)}' is blocked.`;
    return createDiagnostic('trigger-skill', {
      path,
      line,
      message,
      hint: `'${PROGRAM} doctor' shows what is blocked.`,
    });
  }
  const suggestion = snapshot.suggest(name);
  const guess = suggestion === undefined ? '' : ` Did you mean '${suggestion}'?`;
  const examples = snapshot.skills.slice(0, NAMES_SHOWN).map((skill) => `'${skill.name}'`);
  if (snapshot.skills.length > NAMES_SHOWN) examples.push('…');
  const message = `${count} cannot be run: skill '${short(name)}' not found.${guess} Available skills: [${examples.join(', ')}]`;
  return createDiagnostic('trigger-skill', { path, line, message });
}

/** Keeps the first of several equal cases. */
function dropRepeated(cases: readonly EvalCase[], path: string, known: Map<string, EvalCase>): ReadSet {
  const distinct: EvalCase[] = [];
  const contrary: Diagnostic[] = [];
  let repeated = 0;
  for (const item of cases) {
    const key = JSON.stringify([item.skill, item.query.trim()]);
    const earlier = known.get(key);
    if (earlier === undefined) {
      known.set(key, item);
      distinct.push(item);
    } else if (earlier.shouldTrigger === item.shouldTrigger) repeated += 1;
    else contrary.push(contradiction(item, earlier));
  }
  if (repeated === 0) return { cases: distinct, diagnostics: contrary };
  const message = `${repeated === 1 ? 'A query is' : `${repeated} queries are`} repeated; each counts once.`;
  return { cases: distinct, diagnostics: [...contrary, createDiagnostic('trigger-case-repeated', { path, message })] };
}

function contradiction({ skill, query, path, line }: EvalCase, earlier: EvalCase): Diagnostic {
  const verb = earlier.shouldTrigger ? 'should' : 'should not';
  const where = `${earlier.path}${earlier.line === undefined ? '' : `:${earlier.line}`}`;
  const message = `'${short(query)}' ${verb} trigger '${skill}' by ${where}; this case says the opposite and is skipped.`;
  const hint = 'Keep the right one, and delete the other.';
  return createDiagnostic('trigger-case', { path, line, message, hint });
}

function short(text: string): string {
  return shorten(text, 60);
}
