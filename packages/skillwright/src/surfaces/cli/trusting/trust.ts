import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { scriptPaths } from '../../../catalog/lookup/runnable-file.ts';
import type { SkillRecord } from '../../../catalog/snapshot/skill-record.ts';
import { SkillManager } from '../../../faces/manager/skill-manager.ts';
import { isInside, realPathOf } from '../../../sources/real-path.ts';
import { assertTrustable, realDirectoryOf, realFileOf } from '../../../sources/trust/unsafe-place.ts';
import type { TrustStore } from '../../../sources/trust/trust-store.ts';
import { SkillwrightError } from '../../../spec/errors/error.ts';
import { DEFAULT_LIMITS } from '../../../spec/limits.ts';
import { PROGRAM } from '../../../spec/program.ts';
import type { TrustLevel } from '../../../spec/trust.ts';
import { CliError, usageError } from '../cli-error.ts';
import { printAnswer, type Invocation } from '../command.ts';
import { isYes } from '../context.ts';
import { resolvePlace, standardPlaces } from '../finding/locations.ts';
import { createErrorOutput, doneLine, troubleLines, type Output } from '../output.ts';
import { joinWords, toLine, wrapText } from '../text/terminal-text.ts';
import { createShownPaths, type ShownPaths } from '../text/shown-path.ts';
import { rowTable, type RowColumn } from '../text/table.ts';
import { amount } from '../validating/findings.ts';
import { openTrustStore } from './trust-records.ts';

/** A skill in a directory that the trust file mentions. */
interface CoveredSkill {
  readonly name: string;
  /** The path of SKILL.md. */
  readonly path: string;
  readonly trust: TrustLevel;
  /** How many scripts the skill has. Its scripts and tools are what could run. */
  readonly scripts: number;
  readonly tools: number;
}

type Action = 'trust' | 'block' | 'remove' | 'list';

/** The result for one directory. */
interface Outcome {
  readonly action: Exclude<Action, 'list'>;
  readonly path: string;
  /** The trust file. */
  readonly file: string;
  readonly skills: readonly CoveredSkill[];
  /**
   * The skill that contains the directory, in which case nothing recorded for the directory has an effect; usually
   * `null`.
   */
  readonly insideSkill: string | null;
}

export async function run(invocation: Invocation): Promise<number> {
  const { context, output, globals, positionals } = invocation;
  const action = chosenAction(invocation);
  const store = openTrustStore(context);
  const shown = createShownPaths(globals.cwd, context.home);
  if (action === 'list') return listEntries(invocation, store, shown);
  const [written = '.'] = positionals;
  // Resolve links once, so that the approved directory is the recorded one even if a link changes meanwhile.
  const given = action === 'trust' ? realDirectoryOf(resolvePlace(written, globals.cwd)) : written;
  const consent = action === 'trust' ? await askConsent(invocation, given, { store, shown }) : 'given';
  if (consent === 'refused') {
    output.line('Nothing changed.');
    return 1;
  }
  const outcome = await change(action, given, store, globals.cwd);
  printAnswer(invocation, outcome, () =>
    outcomeLines(invocation, outcome, { shown, isTableShown: consent === 'asked' }),
  );
  if (outcome.insideSkill !== null) warnOfPart(invocation, outcome, toLine(shown.path(outcome.insideSkill)));
  return 0;
}

function warnOfPart({ context }: Invocation, { action }: Outcome, skill: string): void {
  const output = createErrorOutput(context);
  const message = `It is part of the skill in ${skill}, and trust applies only to whole skills.`;
  const option = action === 'block' ? '--block ' : '';
  const hints = [`For the skill itself: ${PROGRAM} trust ${option}${joinWords([skill])}`];
  output.lines(troubleLines(output, 'warning', { message, hints }));
}

function chosenAction({ options, positionals, globals }: Invocation): Action {
  const chosen = (['list', 'remove', 'block'] as const).filter((name) => options.flag(name));
  const [first, second] = chosen;
  if (first !== undefined && second !== undefined)
    throw usageError(`--${first} and --${second} cannot be used together.`, ['Remove one of them.']);
  if (first === 'list' && positionals[0] !== undefined)
    throw usageError(`Unexpected argument '${positionals[0]}', because --list shows all records.`, ['Remove it.']);
  if (globals.dirs.length > 0)
    throw usageError(`'${PROGRAM} trust' takes the directory as an argument, not with --dir.`, [
      `Usage: ${PROGRAM} trust [path]`,
    ]);
  if (positionals[0] === '') throw usageError('The path is empty.', [`Give the directory: ${PROGRAM} trust <path>`]);
  const action = first ?? (positionals.length === 0 ? 'list' : 'trust');
  if (action !== 'trust' && options.flag('yes'))
    throw usageError('--yes can only be used to trust a path.', ['Remove it, or give the directory to trust.']);
  return action;
}

/**
 * Whether the user agrees to trust this directory, at the terminal or with `--yes`. Before asking, shows what that
 * would allow to run. Without a terminal, `--yes` is required.
 */
async function askConsent(
  { context, output, globals, options }: Invocation,
  path: string,
  { store, shown }: { readonly store: TrustStore; readonly shown: ShownPaths },
): Promise<'given' | 'asked' | 'refused'> {
  if (options.flag('yes')) return 'given';
  assertUsable(store);
  assertTrustable(path, realFileOf(store.file), context.home);
  const skills = coveredSkills(store, path);
  const place = toLine(shown.path(path));
  if (context.ask === undefined || globals.json)
    throw usageError(
      `Trusting ${place} needs your answer, and there is no terminal to ask in. ${describeHolding(skills)}`,
      [`If you trust it: ${PROGRAM} trust ${joinWords([place])} --yes`],
      { path, skills },
    );
  output.line(`${output.style('warning', '?')} Trust ${place} and everything below it?`);
  if (skills.length > 0) output.lines(['', ...coverageTable(output, skills, shown), '']);
  output.lines(
    wrapText(`${describeHolding(skills)} Skills that are added later are trusted, too.`, output.proseColumns),
  );
  return isYes(await context.ask('Trust it? y yes, anything else no: ')) ? 'asked' : 'refused';
}

function describeHolding(skills: readonly CoveredSkill[]): string {
  if (skills.length === 0) return 'It contains no skills now.';
  const scripts = skills.reduce((sum, skill) => sum + skill.scripts, 0);
  const tools = skills.reduce((sum, skill) => sum + skill.tools, 0);
  if (scripts + tools === 0) return `It contains ${amount(skills.length, 'skill')}, without scripts or tools.`;
  return `It contains ${amount(skills.length, 'skill')} with ${amount(scripts, 'script')} and ${amount(tools, 'tool')}, which may then run as you.`;
}

function coverageTable(output: Output, skills: readonly CoveredSkill[], shown: ShownPaths): string[] {
  const columns: readonly RowColumn<CoveredSkill>[] = [
    { heading: 'NAME', style: 'name', maxWidth: 40, cell: ({ name }) => name },
    { heading: 'TRUST', style: 'dim', cell: ({ trust }) => trust },
    { heading: 'SCRIPTS', cell: ({ scripts }) => String(scripts) },
    { heading: 'TOOLS', cell: ({ tools }) => String(tools) },
    { heading: 'FILE', cell: ({ path }) => shown.path(path) },
  ];
  return rowTable(output, columns, skills);
}

async function change(action: Outcome['action'], given: string, store: TrustStore, cwd: string): Promise<Outcome> {
  const { file } = store;
  if (action !== 'remove') {
    const place = resolvePlace(given, cwd);
    const { path } = await store.set(place, action === 'block' ? 'blocked' : 'trusted');
    const skills = coveredSkills(store, path);
    return { action, path, file, skills, insideSkill: skills.length === 0 ? enclosingSkill(path) : null };
  }
  const path = existsSync(resolve(cwd, given)) ? resolvePlace(given, cwd) : resolve(cwd, given);
  if (!(await store.remove(path))) throw nothingRecorded(store, path);
  return { action, path, file, skills: existsSync(path) ? coveredSkills(store, path) : [], insideSkill: null };
}

/** The skill directory that contains this directory as one of its parts. */
function enclosingSkill(path: string): string | null {
  for (let directory = path; dirname(directory) !== directory; directory = dirname(directory))
    if (existsSync(join(dirname(directory), 'SKILL.md'))) return dirname(directory);
  return null;
}

function nothingRecorded(store: TrustStore, path: string): CliError {
  const above = store.entries().find((entry) => isInside(path, entry.path));
  const hints = [
    above === undefined
      ? `${PROGRAM} trust --list shows all records.`
      : `It is inside ${above.path}, which is recorded as ${above.level}.`,
  ];
  return new CliError('NothingRecorded', `There is no record of ${path}.`, { hints, data: { path } });
}

function outcomeLines(
  { output }: Invocation,
  outcome: Outcome,
  { shown, isTableShown }: { readonly shown: ShownPaths; readonly isTableShown: boolean },
): string[] {
  const { action, skills } = outcome;
  const path = toLine(shown.path(outcome.path));
  const heads = {
    trust: `Trusted: ${path} and everything below it.`,
    block: `Blocked: ${path} and everything below it.`,
    remove: `Removed the record of ${path}.`,
  };
  const undo = `'${PROGRAM} trust --remove ${joinWords([path])}' undoes this.`;
  const tails = {
    trust: `Scripts and tools of its skills may run as you. ${undo}`,
    block: `Its skills never load. ${undo}`,
    remove: '',
  };
  const count = skills.length === 0 ? 'It contains no skills now.' : `It contains ${amount(skills.length, 'skill')}.`;
  return [
    doneLine(output, heads[action]),
    ...(skills.length === 0 || isTableShown ? [] : ['', ...coverageTable(output, skills, shown), '']),
    ...wrapText(`${count} ${tails[action]}`.trim(), output.proseColumns),
  ];
}

function listEntries({ output, globals }: Invocation, store: TrustStore, shown: ShownPaths): number {
  assertUsable(store);
  const entries = store.entries().map((entry) => ({ ...entry, exists: existsSync(entry.path) }));
  if (globals.json) {
    output.json({ file: store.file, entries });
    return 0;
  }
  if (entries.length === 0) {
    output.lines(
      wrapText(
        `There are no records, so skills that commands find by themselves are untrusted. '${PROGRAM} trust <path>' trusts the skills in a directory.`,
        output.proseColumns,
      ),
    );
    return 0;
  }
  const columns: readonly RowColumn<(typeof entries)[number]>[] = [
    { heading: 'DIRECTORY', style: 'name', cell: ({ path }) => shown.path(path) },
    { heading: 'LEVEL', cell: ({ level }) => level },
    { heading: 'SINCE', cell: ({ at, exists }) => (exists ? at.slice(0, 10) : 'no longer exists') },
  ];
  output.lines(rowTable(output, columns, entries));
  output.line();
  output.line(`${entries.length === 1 ? '1 entry' : `${entries.length} entries`} in ${toLine(shown.path(store.file))}`);
  return 0;
}

function assertUsable({ file, diagnostics: [problem] }: TrustStore): void {
  if (problem === undefined) return;
  const text = problem.hint === undefined ? problem.message : `${problem.message} ${problem.hint}`;
  throw new SkillwrightError('TrustFileUnusable', text, { data: { path: file } });
}

/** Every skill in a directory, with its recorded trust level. Ignores links that leave the directory. */
function coveredSkills(store: TrustStore, directory: string): CoveredSkill[] {
  const { projectSkillDir, anthropicConfigDir, agentsDir, opencodeDir, pluginDirs } = standardPlaces(directory);
  const manager = new SkillManager({
    projectSkillDir,
    anthropicConfigDir,
    agentsDir,
    opencodeDir,
    pluginDirs,
    cwd: directory,
    additionalSearchPaths: [directory],
    optional: true,
  });
  const { snapshot } = manager;
  const { skills, shadowed } = snapshot;
  return [...skills, ...shadowed.map(({ skill }) => skill)].flatMap((skill) =>
    realPathOf(skill.baseDir)
      .filter((real) => isInside(real, directory))
      .map((real) => ({
        name: skill.name,
        path: skill.filePath,
        trust: store.levelOf(real) ?? 'untrusted',
        scripts: countScripts(snapshot.recordAt(skill.filePath)),
        tools: skill.tools.length,
      })),
  );
}

function countScripts(record: SkillRecord | undefined): number {
  return record === undefined ? 0 : scriptPaths(record, DEFAULT_LIMITS.maxListedFiles).length;
}
