import type { RunCheck } from '../../../run/admission/run-checks.ts';
import { SkillwrightError } from '../../../spec/errors/error.ts';
import type { Diagnostic } from '../../../spec/diagnostics/diagnostic.ts';
import type { SkillFile, SkillMetadata } from '../../../spec/skill.ts';
import { isAt, type OpenedSkills } from './locations.ts';
import { PROGRAM } from '../../../spec/program.ts';
import { joinWords, toLine } from '../text/terminal-text.ts';
import type { ShownPaths } from '../text/shown-path.ts';

interface SkillBody {
  readonly characters: number;
  /** The number of characters divided by four: an estimate, not a count. */
  readonly estimatedTokens: number;
  readonly content: string;
}

/** All details of a skill. */
export interface SkillDetails {
  readonly skill: SkillMetadata;
  /** A sentence instead of the instructions, if they cannot be loaded. */
  readonly body: SkillBody | { readonly problem: string };
  readonly files: readonly SkillFile[];
  readonly scripts: readonly string[];
  /** Where scripts and tools run on this machine, or why they cannot; `null` if the skill has nothing to run. */
  readonly run: RunCheck | null;
  /** Skills of the same name that this skill hides. */
  readonly hides: readonly { readonly path: string; readonly reachableAs: string | null }[];
  /** The skill that hides this one. */
  readonly hiddenBy: { readonly name: string; readonly path: string } | null;
  readonly diagnostics: readonly Diagnostic[];
}

export async function readDetails(opened: OpenedSkills, name: string): Promise<SkillDetails> {
  const { manager, snapshot } = opened;
  const skill = manager.getSkill(name);
  const hider = snapshot.shadowed.find((shadowed) => shadowed.skill === skill)?.by;
  return {
    skill,
    body: await readBody(opened, name),
    files: manager.listFiles(name),
    scripts: manager.listScripts(name).map(({ path }) => path),
    run: (await manager.checkRun(name)) ?? null,
    hides: snapshot.shadowed
      .filter(({ by }) => by === skill)
      .map((hidden) => ({ path: hidden.skill.filePath, reachableAs: hidden.reachableAs ?? null })),
    hiddenBy: hider === undefined ? null : { name: hider.name, path: hider.filePath },
    diagnostics: snapshot.diagnostics.filter(({ path }) => isAt(path, skill.baseDir)),
  };
}

async function readBody({ manager }: OpenedSkills, name: string): Promise<SkillDetails['body']> {
  try {
    const { content } = await manager.loadSkill(name);
    return { characters: content.length, estimatedTokens: Math.ceil(content.length / 4), content };
  } catch (error) {
    if (SkillwrightError.isInstance(error)) return { problem: error.message };
    throw error;
  }
}

/** Metadata that the page already shows elsewhere or in another form. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set([
  'name',
  'description',
  'version',
  'qualifiedName',
  'source',
  'trust',
  'pluginName',
  'pluginRoot',
  'filePath',
  'baseDir',
  'directoryName',
  'tools',
  'allowedTools',
  'disableModelInvocation',
  'userInvocable',
  'metadata',
  'extra',
]);

/** The facts about a skill as pairs of a name and a text, in display order. */
export function skillFields(details: SkillDetails, shown: ShownPaths): [string, string][] {
  const { skill, hides, hiddenBy, run } = details;
  return [
    ['source', skill.pluginName === undefined ? skill.source : `${skill.source} ${skill.pluginName}`],
    ...(skill.qualifiedName === skill.name ? [] : [['qualified name', skill.qualifiedName] satisfies [string, string]]),
    ['file', shown.path(skill.filePath)],
    ['trust', trustOf(skill, shown)],
    ...hides.map(({ path, reachableAs }): [string, string] => [
      'hides',
      `${shown.path(path)} (${reachableAs === null ? 'not usable: rename one' : `use it as ${reachableAs}`})`,
    ]),
    ...(hiddenBy === null ? [] : [['hidden by', shown.path(hiddenBy.path)] satisfies [string, string]]),
    ['used by', audienceOf(skill)],
    [
      'allowed tools',
      skill.allowedTools === undefined || skill.allowedTools.length === 0 ? 'any' : skill.allowedTools.join(', '),
    ],
    ...(run === null ? [] : [['runs in', runsIn(run)] satisfies [string, string]]),
    ['instructions', shown.text(instructionsOf(details))],
    ...Object.entries(skill).flatMap(([field, value]) =>
      SHOWN_ELSEWHERE.has(field) ? [] : [pairOf(toWords(field), value)],
    ),
    ...Object.entries(skill.metadata ?? {}).map(([key, value]) => pairOf(`metadata.${key}`, value)),
    ...Object.entries(skill.extra ?? {}).map(([key, value]) => pairOf(`extra.${key}`, value)),
  ];
}

function runsIn(run: RunCheck): string {
  return run.runs ? run.tier : `nowhere on this machine: ${run.reason}. ${run.remedy}`;
}

function trustOf({ trust, baseDir }: SkillMetadata, shown: ShownPaths): string {
  if (trust === 'trusted') return trust;
  return `${trust} ('${PROGRAM} trust ${joinWords([shown.path(baseDir)])}' trusts it)`;
}

function audienceOf({ disableModelInvocation, userInvocable }: SkillMetadata): string {
  if (disableModelInvocation) return userInvocable === false ? 'nobody (neither the model nor people)' : 'people only';
  return userInvocable === false ? 'the model only' : 'the model and people';
}

function instructionsOf({ body }: SkillDetails): string {
  if ('problem' in body) return `cannot be loaded: ${body.problem}`;
  const { characters, estimatedTokens } = body;
  return `${characters.toLocaleString('en')} characters, about ${estimatedTokens.toLocaleString('en')} tokens (an estimate: characters / 4)`;
}

function pairOf(name: string, value: unknown): [string, string] {
  return [toLine(name.slice(0, 40)), toText(value)];
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ');
  return JSON.stringify(value) ?? '';
}

/** `argumentHint` → `argument hint` */
function toWords(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
