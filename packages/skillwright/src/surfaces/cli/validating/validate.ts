import { conflictLine } from '../../../parse/frontmatter/merge-conflict.ts';
import { checkHandlers } from '../../../run/admission/check-handlers.ts';
import type { DiagnosticCode } from '../../../spec/diagnostics/diagnostic-data.ts';
import { createDiagnostic, type Diagnostic } from '../../../spec/diagnostics/diagnostic.ts';
import { type SkillException, SkillwrightError } from '../../../spec/errors/error.ts';
import { PROGRAM } from '../../../spec/program.ts';
import type { SkillMetadata } from '../../../spec/skill.ts';
import { CliError, usageError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';
import { isAt, type OpenedSkills, openSkills, resolvePlace } from '../finding/locations.ts';
import { createErrorOutput } from '../output.ts';
import { relativePath, type ShownPaths } from '../text/shown-path.ts';
import { amount, countFindings, isAbsentPlace, withShownPaths } from './findings.ts';
import { githubLines, toSarif, textLines, type ValidationFinding, type ValidationReport } from './report-formats.ts';
import type { Snapshot } from '../../../catalog/snapshot/snapshot.ts';
import { filesOfSkill } from '../choosing/trigger-set-files.ts';
import { readTriggerSets } from '../choosing/trigger-sets.ts';

type Format = 'text' | 'json' | 'sarif' | 'github';

export async function run(invocation: Invocation): Promise<number> {
  const { context, output, positionals, globals } = invocation;
  const format = chosenFormat(invocation);
  const maxWarnings = readMaxWarnings(invocation);
  const dirs = [...positionals, ...globals.dirs];
  const opened = openSkills(invocation, { dirs, strict: true, unusableTrust: 'warn' });
  assertSkills(opened, dirs, globals.cwd);
  const further = [
    ...(await checkBodies(opened)),
    ...(await checkHandlers(opened.snapshot.skills, true)),
    ...checkTriggerSets(opened.snapshot),
  ];
  const report = toReport(opened, further, globals.cwd);
  if (format === 'json') output.json(toJson(report));
  else if (format === 'sarif') output.json(await toSarif(report));
  else output.lines(format === 'github' ? githubLines(report) : textLines(output, report));
  const { errors, warnings } = report.counts;
  const isTooMany = warnings > maxWarnings;
  if (isTooMany && format !== 'json') {
    createErrorOutput(context).line(`error: ${amount(warnings, 'warning')}, and --max-warnings allows ${maxWarnings}.`);
  }
  return errors > 0 || isTooMany ? 1 : 0;
}

function chosenFormat({ options, globals }: Invocation): Format {
  const format = options.text('format') as Format | undefined;
  if (!globals.json) return format ?? 'text';
  if (format !== undefined && format !== 'json')
    throw usageError(`--json and --format ${format} cannot be used together.`, ['Remove one of them.']);
  return 'json';
}

function readMaxWarnings({ options }: Invocation): number {
  const given = options.text('max-warnings');
  if (given === undefined) return Infinity;
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw usageError(`Option --max-warnings needs a whole number, not '${given}'.`, [], {
    option: 'max-warnings',
    value: given,
  });
}

/** Throws if there is nothing to check, so that a mistyped path does not pass. Refused skills count as checked. */
function assertSkills({ snapshot, sources, shown }: OpenedSkills, dirs: readonly string[], cwd: string): void {
  const places =
    dirs.length === 0 ? sources.map(({ location }) => location) : dirs.map((dir) => resolvePlace(dir, cwd));
  const { skills, shadowed, diagnostics } = snapshot;
  const reasons = diagnostics.filter(({ severity, code }) => severity === 'error' || code === 'same-skill-twice');
  const checked = [
    ...[...skills, ...shadowed.map(({ skill }) => skill)].map(({ baseDir }) => baseDir),
    ...reasons.map(({ path }) => path),
  ];
  const empty = places.filter((place) => !checked.some((path) => isAt(path, place)));
  if (empty.length === 0 || (dirs.length === 0 && empty.length < places.length)) return;
  const clues = diagnostics.filter(
    ({ severity, code, path }) =>
      (severity !== 'info' || code === 'skill-blocked') && empty.some((place) => isAt(path, place)),
  );
  const hints = [
    ...clues.map(({ message }) => shown.text(message)),
    'A skill is a directory with a SKILL.md.',
    ...(dirs.length === 0 ? [`To check another directory: ${PROGRAM} validate <path>.`] : []),
  ];
  throw new CliError(
    'NoSkillFound',
    `There is no skill to check in ${empty.map((place) => shown.path(place)).join(', ')}.`,
    { hints, data: { paths: empty } },
  );
}

function toReport({ snapshot, shown }: OpenedSkills, further: readonly Diagnostic[], cwd: string): ValidationReport {
  const found = snapshot.diagnostics.filter((diagnostic) => !isAboutPlaces(diagnostic));
  const shownPaths: ShownPaths = { path: (path) => relativePath(path, cwd), text: (text) => shown.text(text) };
  const findings = [...found, ...further]
    .toSorted(byPlace)
    .map((finding) => ({ ...withShownPaths(finding, shownPaths), absolutePath: finding.path }));
  const skills = snapshot.skills.length + snapshot.shadowed.length + snapshot.refused.length;
  return { skills, findings, counts: countFindings(findings) };
}

/**
 * Whether a finding says nothing about a skill's validity: an absent standard directory, a skill found twice, or a
 * blocked skill.
 */
function isAboutPlaces(diagnostic: Diagnostic): boolean {
  return isAbsentPlace(diagnostic) || diagnostic.code === 'same-skill-twice' || diagnostic.code === 'skill-blocked';
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0);
}

function toJson({ skills, counts, findings }: ValidationReport): unknown {
  return { valid: counts.errors === 0, skills, ...counts, diagnostics: findings.map(toPublic) };
}

function toPublic({ code, severity, category, path, line, message, hint }: ValidationFinding): Diagnostic {
  return {
    code,
    severity,
    category,
    path,
    ...(line === undefined ? {} : { line }),
    message,
    ...(hint === undefined ? {} : { hint }),
  };
}

/**
 * Loads every reachable skill and reports problems below its frontmatter, because discovery reads only the frontmatter.
 */
async function checkBodies({ manager, snapshot }: OpenedSkills): Promise<Diagnostic[]> {
  const known = new Set(snapshot.diagnostics.map(({ code, path }) => `${code} ${path}`));
  const hidden = snapshot.shadowed.flatMap(({ skill, reachableAs }) =>
    reachableAs === undefined ? [] : [{ skill, address: reachableAs }],
  );
  const found: Diagnostic[] = [];
  for (const { skill, address } of [
    ...snapshot.skills.map((visible) => ({ skill: visible, address: visible.name })),
    ...hidden,
  ]) {
    const problem = await checkBody(skill, async () => (await manager.loadSkill(address)).content);
    manager.clearCache();
    if (problem !== undefined && !known.has(`${problem.code} ${problem.path}`)) found.push(problem);
  }
  return found;
}

async function checkBody(skill: SkillMetadata, load: () => Promise<string>): Promise<Diagnostic | undefined> {
  const path = skill.filePath;
  try {
    const content = await load();
    const conflict = conflictLine(content);
    if (conflict !== undefined) {
      const message = `Line ${conflict} of the instructions begins a merge conflict.`;
      return createDiagnostic('merge-conflict', { path, strict: true, message });
    }
    if (content.trim() !== '') return undefined;
    return createDiagnostic('body-empty', {
      path,
      strict: true,
      message: 'There are no instructions below the frontmatter.',
    });
  } catch (error) {
    if (!SkillwrightError.isInstance(error)) throw error;
    return createDiagnostic(codeOf(error), { path, strict: true, message: error.message });
  }
}

function codeOf(error: SkillException): DiagnosticCode {
  if (error.code === 'MalformedText') return 'text-malformed';
  return error.code === 'FileTooLarge' ? 'file-oversized' : 'skill-file-unreadable';
}

/**
 * Problems of the visible skills' own trigger sets. Ignores references to other skills, and JSON files that are not
 * trigger sets.
 */
function checkTriggerSets(snapshot: Snapshot): readonly Diagnostic[] {
  const files = snapshot.skills.flatMap((skill) => filesOfSkill(skill, snapshot));
  const { diagnostics } = readTriggerSets(files, snapshot);
  return diagnostics.filter(({ code }) => code !== 'trigger-set-foreign' && code !== 'trigger-skill');
}
