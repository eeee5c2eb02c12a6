import { dirname } from 'node:path';
import type { Snapshot } from '../../../catalog/snapshot/snapshot.ts';
import { plainEnvironment } from '../../../policy/script-environment.ts';
import { checkHandlers } from '../../../run/admission/check-handlers.ts';
import type { Diagnostic } from '../../../spec/diagnostics/diagnostic.ts';
import type { SkillMetadata } from '../../../spec/skill.ts';
import type { CliContext } from '../context.ts';
import { countFindings, isAbsentPlace, type FindingCounts } from '../validating/findings.ts';
import { reportLocations, type LocationReport, isAt, type OpenedSkills } from '../finding/locations.ts';
import { missingRequirements, type MissingRequirement } from '../finding/missing-requirements.ts';
import { reportTiers, tierForUntrusted } from '../running/tier-reports.ts';
import type { SkillSource } from '../../../spec/source.ts';

/** Everything that `doctor` reports, as data. */
export interface DoctorReport {
  readonly skills: number;
  readonly counts: FindingCounts;
  readonly locations: readonly LocationReport[];
  readonly hidden: readonly {
    readonly name: string;
    readonly path: string;
    readonly by: string;
    readonly reachableAs: string | null;
  }[];
  readonly refused: readonly {
    readonly directoryName: string;
    readonly path: string;
    readonly diagnostics: readonly Diagnostic[];
  }[];
  /** Findings about the skills that were read, and about the directories that were searched. */
  readonly problems: readonly { readonly subject: string; readonly diagnostics: readonly Diagnostic[] }[];
  readonly missing: readonly { readonly skill: string; readonly requirements: readonly MissingRequirement[] }[];
  /** Variables that skills need and that are set here, but that `run` and `call` pass on only when asked to. */
  readonly ungranted: readonly { readonly skill: string; readonly variables: readonly string[] }[];
  readonly toolClashes: readonly { readonly tool: string; readonly skill: string; readonly by: string }[];
  readonly untrusted: readonly UntrustedPlace[];
  /** Why untrusted skills cannot run here; `null` if they can, or if there are none. */
  readonly noSandbox: { readonly skills: number; readonly reason: string; readonly remedy: string } | null;
  /** Skills whose trust and declarations allow them to run, but which cannot run here. */
  readonly unrunnable: readonly { readonly skill: string; readonly reason: string; readonly remedy: string }[];
  readonly blocked: readonly { readonly name: string; readonly path: string }[];
  /** The file that records trust. */
  readonly trustFile: string;
}

/** Codes that have their own section in the report. */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set([
  'tool-shadowed',
  'same-skill-twice',
  'root-missing',
  'skill-blocked',
]);

export async function diagnose(
  { manager, snapshot, sources, trust }: OpenedSkills,
  context: Pick<CliContext, 'env' | 'platform'>,
): Promise<DoctorReport> {
  const { skills, shadowed, refused, tools } = snapshot;
  const diagnostics = [...trust.diagnostics, ...snapshot.diagnostics, ...(await checkHandlers(skills))];
  const hidden = shadowed.map(({ skill, by, reachableAs }) => ({
    name: skill.name,
    path: skill.filePath,
    by: by.filePath,
    reachableAs: reachableAs ?? null,
  }));
  const requirements = skills.map((skill) => ({
    skill: skill.name,
    requirements: missingRequirements(skill, context),
  }));
  const missing = requirements.filter((item) => item.requirements.length > 0);
  const ungranted = skills.flatMap((skill) => ungrantedOf(skill, context));
  const untrusted = skills.filter(({ trust: level }) => level !== 'trusted').length;
  const told = new Set([...missing, ...ungranted].map(({ skill }) => skill));
  return {
    skills: skills.length,
    counts: countFindings(diagnostics.filter((diagnostic) => !isAbsentPlace(diagnostic))),
    locations: reportLocations(sources, snapshot),
    hidden,
    refused: refused.map(({ directoryName, path, diagnostics: reasons }) => ({
      directoryName,
      path,
      diagnostics: reasons,
    })),
    problems: groupProblems(snapshot, diagnostics),
    missing,
    ungranted,
    toolClashes: skills.flatMap((skill) =>
      skill.tools.flatMap(({ name }) => {
        const winner = tools.get(name)?.skill;
        return winner === undefined || winner === skill ? [] : [{ tool: name, skill: skill.name, by: winner.name }];
      }),
    ),
    untrusted: untrustedPlaces(sources, snapshot),
    noSandbox: untrusted === 0 ? null : await missingSandbox(context, untrusted),
    unrunnable: await unrunnableOf(
      manager,
      skills.filter(({ name, trust: level }) => level === 'trusted' && !told.has(name)),
    ),
    blocked: snapshot.blocked.map(({ name, path }) => ({ name, path })),
    trustFile: trust.file,
  };
}

/** Variables that are set here but are not passed on by default. */
function ungrantedOf({ name, requires }: SkillMetadata, { env }: Pick<CliContext, 'env'>): DoctorReport['ungranted'] {
  const set = (requires?.env ?? []).filter((variable) => Boolean(env[variable]));
  const plain = plainEnvironment(Object.fromEntries(set.map((variable) => [variable, env[variable] ?? ''])));
  const variables = set.filter((variable) => !Object.hasOwn(plain, variable));
  return variables.length === 0 ? [] : [{ skill: name, variables }];
}

async function unrunnableOf(
  manager: OpenedSkills['manager'],
  skills: readonly SkillMetadata[],
): Promise<DoctorReport['unrunnable']> {
  const checks = await Promise.all(
    skills.map(async ({ name, qualifiedName }) => ({ skill: name, check: await manager.checkRun(qualifiedName) })),
  );
  return checks.flatMap(({ skill, check }) =>
    check === undefined || check.runs ? [] : [{ skill, reason: check.reason, remedy: check.remedy }],
  );
}

async function missingSandbox(context: Pick<CliContext, 'env'>, skills: number): Promise<DoctorReport['noSandbox']> {
  const reports = await reportTiers(context);
  const bubblewrap = reports.find(({ tier }) => tier === 'bubblewrap');
  if (tierForUntrusted(reports) !== undefined || bubblewrap === undefined || bubblewrap.available) return null;
  const { reason, remedy } = bubblewrap;
  return { skills, reason, remedy };
}

/**
 * Findings grouped by skill, or by path if they are not about a skill. Leaves out those that have their own section.
 */
function groupProblems(
  { skills, shadowed, refused }: Snapshot,
  diagnostics: readonly Diagnostic[],
): { subject: string; diagnostics: Diagnostic[] }[] {
  const hidden = shadowed.map(({ skill }) => skill);
  const hiddenFiles = new Set(hidden.map(({ filePath }) => filePath));
  const reasons = new Set(refused.flatMap((item) => item.diagnostics));
  const names = new Map([...skills, ...hidden].map((skill) => [skill.baseDir, skill.name]));
  const groups = new Map<string, Diagnostic[]>();
  for (const diagnostic of diagnostics) {
    const { code, path } = diagnostic;
    const isHidden = code === 'skill-shadowed' && hiddenFiles.has(path);
    if (isHidden || SAID_ELSEWHERE.has(code) || reasons.has(diagnostic)) continue;
    const subject = ownerOf(path, names) ?? path;
    groups.set(subject, [...(groups.get(subject) ?? []), diagnostic]);
  }
  return [...groups].map(([subject, found]) => ({ subject, diagnostics: found }));
}

/** The name of the skill whose directory holds the path. */
function ownerOf(path: string, names: ReadonlyMap<string, string>): string | undefined {
  for (let directory = path; ; directory = dirname(directory)) {
    const name = names.get(directory);
    if (name !== undefined) return name;
    if (dirname(directory) === directory) return undefined;
  }
}

/** A directory with untrusted skills. */
interface UntrustedPlace {
  readonly path: string;
  /** The names of the skills. */
  readonly skills: readonly string[];
}

/** The directories with untrusted skills, in search order. */
function untrustedPlaces(sources: readonly SkillSource[], snapshot: Snapshot): UntrustedPlace[] {
  const found = [...snapshot.skills, ...snapshot.shadowed.map(({ skill }) => skill)];
  const places = new Map<SkillSource, string[]>();
  for (const skill of found) {
    if (skill.trust === 'trusted') continue;
    const source = sources.find(({ kind, location }) => kind === skill.source && isAt(skill.baseDir, location));
    if (source !== undefined) places.set(source, [...(places.get(source) ?? []), skill.name]);
  }
  return sources.flatMap((source) => {
    const skills = places.get(source);
    return skills === undefined ? [] : [{ path: source.location, skills }];
  });
}
