import { dirname } from 'node:path';
import { requireSkill } from '../../../catalog/lookup/skill-lookup.ts';
import type { Snapshot } from '../../../catalog/snapshot/snapshot.ts';
import { PROGRAM } from '../../../spec/program.ts';
import { printAnswer, type Invocation } from '../command.ts';
import { isAt, type LocationReport, type OpenedSkills, openSkills } from '../finding/locations.ts';
import { makeSkillLines } from '../finding/make-skill-lines.ts';
import { describeRequirement } from '../finding/missing-requirements.ts';
import { doneLine, type Output } from '../output.ts';
import { joinWords, toLine } from '../text/terminal-text.ts';
import { renderTable } from '../text/table.ts';
import { amount, bullet, countFindings, describeCounts, findingLines, withShownPaths } from '../validating/findings.ts';
import { diagnose, type DoctorReport } from './doctor-report.ts';

interface Subject {
  readonly name: string;
  readonly directory: string;
  readonly isUntrusted: boolean;
  /** 0 if the skill does not load. */
  readonly count: 0 | 1;
}

export async function run(invocation: Invocation): Promise<number> {
  const { context, positionals } = invocation;
  const [skill] = positionals;
  const opened = openSkills(invocation, { thorough: true, unusableTrust: 'report' });
  const all = await diagnose(opened, context);
  const report = skill === undefined ? all : reportOnSkill(all, opened.snapshot, skill);
  printAnswer(invocation, report, () => [
    ...doctorLines(invocation, report, opened),
    ...firstSkillLines(invocation, all),
  ]);
  return report.counts.errors > 0 ? 1 : 0;
}

function doctorLines({ output, context }: Invocation, report: DoctorReport, opened: OpenedSkills): string[] {
  const sections: [string, string[]][] = [
    ['Places', locationLines(output, report, opened)],
    ['Refused', refusedLines(output, report, opened)],
    ['Problems', problemLines(output, report, opened)],
    ['Replaced by another skill of the same name', hiddenLines(output, report, opened)],
    [
      'Tools replaced by another tool of the same name',
      report.toolClashes.flatMap((clash) =>
        bullet(
          output,
          `${clash.tool} of ${clash.skill} is replaced by the tool of ${clash.by}: call it as ${clash.skill}__${clash.tool}, rename one of them, or exclude one of the skills.`,
        ),
      ),
    ],
    ['Not trusted', untrustedLines(output, report, opened)],
    ['Blocked', blockedLines(output, report, opened)],
    [
      'Missing on this machine',
      report.missing.flatMap(({ skill, requirements }) =>
        bullet(
          output,
          `${skill} needs ${requirements.map((item) => describeRequirement(item, context.platform)).join(', ')}`,
        ),
      ),
    ],
    [
      'Cannot run on this machine',
      report.unrunnable.flatMap(({ skill, reason, remedy }) => bullet(output, `${skill}: ${reason}. ${remedy}`)),
    ],
    [
      'Environment variables to pass with --env',
      report.ungranted.flatMap(({ skill, variables }) =>
        bullet(output, `${skill} gets ${variables.join(', ')} only with --env ${variables.join(' --env ')}`),
      ),
    ],
  ];
  const filled = sections.filter(([, lines]) => lines.length > 0);
  return [
    ...filled.flatMap(([title, lines]) => [output.style('heading', title), ...lines, '']),
    summary(output, report),
  ];
}

/** What to do if no skills were found. */
function firstSkillLines({ output, globals }: Invocation, { skills, refused, blocked }: DoctorReport): string[] {
  if (skills + refused.length + blocked.length > 0) return [];
  return ['', ...makeSkillLines(output, globals)];
}

function locationLines(output: Output, { locations }: DoctorReport, { shown }: OpenedSkills): string[] {
  const rows = locations.map((location) => [
    toLine(shown.path(location.path)),
    location.source,
    describeLocation(location),
  ]);
  return renderTable(output, [{ style: 'name', maxWidth: 60 }, { style: 'dim' }, {}], rows, { indent: 2 });
}

function describeLocation({ state, skills, refused, repeated }: LocationReport): string {
  if (state !== 'searched') return state;
  const parts = [
    amount(skills, 'skill'),
    refused > 0 ? `${refused} refused` : '',
    repeated > 0 ? `${repeated} already listed above` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function refusedLines(output: Output, { refused }: DoctorReport, { shown }: OpenedSkills): string[] {
  return refused.flatMap(({ directoryName, diagnostics }) => [
    `  ${output.style('name', toLine(directoryName))}`,
    ...diagnostics.flatMap((diagnostic) => findingLines(output, withShownPaths(diagnostic, shown), '    ')),
  ]);
}

function problemLines(output: Output, { problems }: DoctorReport, { shown }: OpenedSkills): string[] {
  return problems.flatMap(({ subject, diagnostics }) => [
    `  ${output.style('name', toLine(shown.path(subject)))}`,
    ...diagnostics.flatMap((diagnostic) => findingLines(output, withShownPaths(diagnostic, shown), '    ')),
  ]);
}

function hiddenLines(output: Output, { hidden }: DoctorReport, { shown }: OpenedSkills): string[] {
  return hidden.flatMap(({ name, path, by, reachableAs }) => {
    const way = reachableAs === null ? 'rename one of them to use it' : `use it as ${reachableAs}`;
    return bullet(output, `${name} in ${shown.path(path)} is replaced by ${shown.path(by)}: ${way}`);
  });
}

function untrustedLines(output: Output, { untrusted, noSandbox }: DoctorReport, { shown }: OpenedSkills): string[] {
  const places = untrusted.flatMap(({ path, skills }) => {
    const place = shown.path(path);
    return bullet(
      output,
      `${amount(skills.length, 'skill')} in ${place}: '${PROGRAM} trust ${joinWords([place])}' trusts them`,
    );
  });
  if (noSandbox === null) return places;
  const { reason, remedy } = noSandbox;
  return [
    ...places,
    ...bullet(output, `Their scripts and tools cannot run here, because no sandbox is available: ${reason} ${remedy}`),
  ];
}

function blockedLines(output: Output, { blocked, trustFile }: DoctorReport, { shown }: OpenedSkills): string[] {
  return blocked.flatMap(({ name, path }) =>
    bullet(
      output,
      `${name} in ${shown.path(path)} is blocked by ${shown.path(trustFile)} and never loads: '${PROGRAM} trust --list'`,
    ),
  );
}

function summary(output: Output, report: DoctorReport): string {
  const { skills, counts, missing, noSandbox } = report;
  const lacking = missing.length === 0 ? [] : [`${amount(missing.length, 'skill')} with missing requirements`];
  const stuck = (noSandbox?.skills ?? 0) + report.unrunnable.length;
  const unrunnable = stuck === 0 ? [] : [`${amount(stuck, 'skill')} that cannot run here`];
  const found = [describeCounts(counts), ...lacking, ...unrunnable].filter((part) => part !== '').join(', ');
  if (found === '') return doneLine(output, `${amount(skills, 'skill')}, no problems`);
  const mark = counts.errors > 0 ? output.style('error', '✗') : output.style('good', '✓');
  return `${mark} ${amount(skills, 'skill')}: ${found}`;
}

/** The report on one skill, which may be refused or blocked. Throws if no skill has this name. */
function reportOnSkill(report: DoctorReport, snapshot: Snapshot, wanted: string): DoctorReport {
  const { name, directory, isUntrusted, count } = findSubject(snapshot, wanted);
  const isAbout = (path: string): boolean => isAt(path, directory);
  const refused = report.refused.filter(({ path }) => isAbout(path));
  // Include problems of the trust file, which decides whether the skill is blocked or trusted.
  const problems = report.problems.filter(
    ({ subject }) => subject === name || isAbout(subject) || subject === report.trustFile,
  );
  const findings = [...refused, ...problems].flatMap(({ diagnostics }) => diagnostics);
  return {
    ...report,
    skills: count,
    counts: countFindings(findings),
    locations: report.locations.filter(({ path }) => isAt(directory, path)),
    hidden: report.hidden.filter((item) => item.name === name || isAbout(item.path) || isAbout(item.by)),
    refused,
    problems,
    missing: report.missing.filter(({ skill }) => skill === name),
    ungranted: report.ungranted.filter(({ skill }) => skill === name),
    unrunnable: report.unrunnable.filter(({ skill }) => skill === name),
    toolClashes: report.toolClashes.filter(({ skill, by }) => skill === name || by === name),
    untrusted: report.untrusted.flatMap(({ path, skills }) =>
      isUntrusted && isAt(directory, path) && skills.includes(name) ? [{ path, skills: [name] }] : [],
    ),
    noSandbox: isUntrusted && report.noSandbox !== null ? { ...report.noSandbox, skills: 1 } : null,
    blocked: report.blocked.filter(({ path }) => isAbout(path)),
  };
}

function findSubject(snapshot: Snapshot, wanted: string): Subject {
  const record = snapshot.find(wanted);
  if (record === undefined) {
    const refused = snapshot.findRefused(wanted);
    const path = refused?.path ?? snapshot.findBlocked(wanted)?.path;
    if (path !== undefined) return { name: wanted, directory: dirname(path), isUntrusted: false, count: 0 };
  }
  const { name, baseDir: directory, trust } = (record ?? requireSkill(snapshot, wanted)).metadata;
  return { name, directory, isUntrusted: trust !== 'trusted', count: 1 };
}
