import { PROGRAM } from '../../../spec/program.ts';
import type { SkillFilter } from '../../../catalog/snapshot/snapshot.ts';
import type { SkillMetadata, SkillSourceKind } from '../../../spec/skill.ts';
import type { Invocation } from '../command.ts';
import { amount, countFindings } from '../validating/findings.ts';
import { reportLocations, openSkills, type OpenedSkills } from './locations.ts';
import { makeSkillLines } from './make-skill-lines.ts';
import type { Output } from '../output.ts';
import { joinWords, toLine, wrapText } from '../text/terminal-text.ts';
import { skillTable, skillTableWithTools } from './skill-table.ts';

export function run(invocation: Invocation): number {
  const { output, options, globals } = invocation;
  const opened = openSkills(invocation);
  const filter = readFilter(invocation);
  const skills = opened.manager.listSkills(filter);
  if (globals.json) {
    output.json({ skills, diagnostics: countFindings(opened.snapshot.diagnostics) });
    return 0;
  }
  if (skills.length > 0) {
    output.lines(options.flag('tools') ? skillTableWithTools(output, skills) : skillTable(output, skills));
    output.line();
    if (skills.some(({ trust }) => trust === 'untrusted')) output.lines(trustNote(invocation));
  } else if (opened.snapshot.skills.length > 0) {
    output.line('No skill matches.');
  } else {
    explainEmpty(invocation, opened);
    const { diagnostics, blocked } = opened.snapshot;
    if (blocked.length === 0 && diagnostics.every(({ severity }) => severity === 'info')) return 0;
    output.line();
  }
  output.line(footer(invocation, opened, skills));
  return 0;
}

function readFilter({ options }: Invocation): SkillFilter {
  const source = options.text('source') as SkillSourceKind | undefined;
  const keyword = options.text('keyword');
  return { ...(source === undefined ? {} : { source }), ...(keyword === undefined ? {} : { keyword }) };
}

function footer({ output, globals }: Invocation, { snapshot }: OpenedSkills, skills: readonly SkillMetadata[]): string {
  const all = snapshot.skills.length;
  const tools = skills.reduce((sum, skill) => sum + skill.tools.length, 0);
  const { errors, warnings } = countFindings(snapshot.diagnostics);
  const problems = [
    errors > 0 ? output.style('error', amount(errors, 'error')) : '',
    warnings > 0 ? output.style('warning', amount(warnings, 'warning')) : '',
  ];
  const found = problems.filter((problem) => problem !== '');
  const parts = [
    skills.length === all ? amount(all, 'skill') : `${skills.length} of ${amount(all, 'skill')}`,
    ...(tools > 0 ? [amount(tools, 'tool')] : []),
    ...(snapshot.shadowed.length > 0 ? [`${snapshot.shadowed.length} hidden`] : []),
    ...(snapshot.blocked.length > 0 ? [`${snapshot.blocked.length} blocked`] : []),
    ...(snapshot.refused.length > 0 ? [`${snapshot.refused.length} refused`] : []),
    ...(found.length > 0 ? [`${found.join(', ')}, run ${doctorFor(globals)}`] : []),
  ];
  return parts.join(' · ');
}

/**
 * A `doctor` command line with this command's options. Without them, `doctor` would search other directories or find
 * fewer problems.
 */
function doctorFor({ dirs, strict }: Invocation['globals']): string {
  const options = [...dirs.flatMap((dir) => ['--dir', dir]), ...(strict ? ['--strict'] : [])];
  return toLine([`${PROGRAM} doctor`, joinWords(options)].join(' ').trim());
}

function trustNote({ output }: Invocation): string[] {
  const text = `* untrusted. '${PROGRAM} trust <path>' trusts the skills in a directory.`;
  return wrapText(text, output.proseColumns).map((line) => output.style('dim', line));
}

/** The searched directories, and how to create a first skill. */
function explainEmpty({ output, globals }: Invocation, { sources, snapshot, shown, trust }: OpenedSkills): void {
  const { blocked, refused } = snapshot;
  if (blocked.length > 0) return output.lines(blockedLines(output, blocked.length, { shown, trust }));
  output.line(refused.length > 0 ? 'No skill here can be read. Searched:' : 'No skills found. Searched:');
  for (const { path, state } of reportLocations(sources, snapshot)) {
    output.line(`  ${toLine(shown.path(path))}${state === 'searched' ? '' : output.style('dim', ` (${state})`)}`);
  }
  if (refused.length > 0) return;
  output.line();
  output.lines(makeSkillLines(output, globals));
}

function blockedLines(
  output: Output,
  count: number,
  { shown, trust }: Pick<OpenedSkills, 'shown' | 'trust'>,
): string[] {
  const what = `${amount(count, 'skill')} here ${count === 1 ? 'is' : 'are'} blocked`;
  const text = `${what}, as recorded in ${toLine(shown.path(trust.file))}. '${PROGRAM} trust --list' shows all records, and '${PROGRAM} trust --remove <path>' unblocks a directory.`;
  return wrapText(text, output.proseColumns);
}
