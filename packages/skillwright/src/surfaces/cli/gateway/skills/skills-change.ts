import { readJsonWord } from '../../running/tool-input.ts';
import { printAnswer } from '../../command.ts';
import { doneLine } from '../../output.ts';
import { PROGRAM } from '../../../../spec/program.ts';
import { usageError } from '../../cli-error.ts';
import { readInput } from '../../running/host-process.ts';
import { joinWords, toLine } from '../../text/terminal-text.ts';
import { readAllSkills } from '../client/all-pages.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import type { RestAnswers, Skill } from '../client/rest-types.ts';
import type { ActionRequest } from '../run-action.ts';
import { compareVersions, findSkill } from './find-skill.ts';

/** Parses the values of `set`. `default` restores the default. */
const VALUES: Readonly<Record<string, (text: string) => unknown>> = {
  mode: (text) => text,
  policy: (text) => text,
  tags: (text) => text.split(',').flatMap((tag) => (tag.trim() === '' ? [] : [tag.trim()])),
  timeoutMs: toNumber,
  retries: toNumber,
};

type Changed = RestAnswers['updateSkill'];

export async function enable(request: ActionRequest): Promise<number> {
  const { mode, policy } = await update(request, { enabled: true });
  const { output, globals } = request.invocation;
  // Models cannot use skills that only people may run.
  if (!globals.json && policy !== 'manual') output.lines(whenShown(mode, request.words[0] ?? ''));
  return 0;
}

function whenShown(mode: Changed['mode'], skill: string): string[] {
  if (mode === 'auto') return ['  Models see it when it fits their task.'];
  return [
    '  Models see it in every request. To show it only when it fits their task:',
    `  ${PROGRAM} skills set ${toLine(joinWords([skill]))} mode=auto`,
  ];
}

export async function disable(request: ActionRequest): Promise<number> {
  await update(request, { enabled: false });
  return 0;
}

export async function change(request: ActionRequest): Promise<number> {
  await update(request, Object.fromEntries(request.words.slice(1).map(toSetting)));
  return 0;
}

async function update({ invocation, client, words }: ActionRequest, body: object): Promise<Changed> {
  const { id, name, version } = await findSkill(client, words[0] ?? '');
  const changed = await client.send<Changed>('PUT', `/api/skills/${encodeURIComponent(id)}`, body);
  const text = `${toLine(`${name}@${version}`)}: ${toLine(changesText(body, changed))}`;
  printAnswer(invocation, { id, ...changed }, () => [doneLine(invocation.output, text)]);
  return changed;
}

/** The new value of every requested setting: `mode on; tags a, b; timeoutMs default` */
function changesText(asked: object, changed: Changed): string {
  const names = Object.keys(asked).map((name) => (name === 'enabled' ? 'mode' : name) as keyof Changed);
  return names.map((name) => `${name} ${valueText(changed[name])}`).join('; ');
}

function valueText(value: Changed[keyof Changed]): string {
  if (value === null) return 'default';
  return Array.isArray(value) ? value.join(', ') || 'none' : String(value);
}

/** Kinds of skills that return after removal, because their source outside the registry still exists. */
const FOUND: Readonly<Record<string, string>> = {
  package:
    'Its directory still exists, so the skill returns when the gateway reads the directory again, at the latest at the next start.',
};

export async function remove({ invocation, client, words }: ActionRequest): Promise<number> {
  const skill = await findSkill(client, words[0] ?? '');
  const { id, name, version, kind } = skill;
  const answer = await client.send<RestAnswers['removeSkill']>('DELETE', `/api/skills/${encodeURIComponent(id)}`);
  const left = await versionsLeft(client, skill);
  const comesBack = FOUND[kind];
  const told = { id, name, version, ...answer, comesBack: comesBack !== undefined, versionsLeft: left };
  return printAnswer(invocation, told, () => [
    doneLine(invocation.output, `${toLine(`${name}@${version}`)} was removed.`),
    ...(left.length === 0 ? [] : [`  ${toLine(`${name} still has ${left.join(', ')}.`)}`]),
    ...(comesBack === undefined
      ? []
      : [`  ${comesBack}`, `  ${toLine(`To turn it off instead: ${PROGRAM} skills disable ${name}`)}`]),
  ]);
}

async function versionsLeft(client: GatewayClient, { id, name, apiKeyId }: Skill): Promise<string[]> {
  const rows = await readAllSkills(client, { q: name });
  return rows
    .filter((row) => row.name === name && row.apiKeyId === apiKeyId && row.id !== id)
    .map(({ version }) => version)
    .toSorted((one, other) => compareVersions(other, one));
}

export async function install({ invocation, client, words }: ActionRequest): Promise<number> {
  const { context, globals } = invocation;
  const [word = ''] = words;
  // A word that is neither JSON nor `-` (standard input) is the path of a file, with or without a leading `@`.
  const description = await readJsonWord(/^[[{@]|^-$/.test(word) ? word : `@${word}`, {
    cwd: globals.cwd,
    readInput: () => readInput(context),
  });
  const answer = await client.send<RestAnswers['installSkill']>('POST', '/api/skills/install', description);
  return printAnswer(invocation, answer, () => [
    doneLine(invocation.output, `Installed as ${answer.id}. The skill is off. To turn it on:`),
    `  ${PROGRAM} skills set ${answer.id} mode=${answer.turnOn.body.mode}`,
  ]);
}

function toSetting(word: string): [string, unknown] {
  const [, name = '', text = ''] = /^(\w+)=(.*)$/s.exec(word) ?? [];
  const read = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined;
  if (Object.hasOwn(VALUES, word))
    throw usageError(`Setting '${word}' needs a value.`, [`Write ${word}=value; ${word}=default resets it.`]);
  if (read === undefined)
    throw usageError(`Unknown setting '${name === '' ? word : name}' of a skill.`, [
      `Write name=value, where the name is one of ${Object.keys(VALUES).join(', ')}.`,
    ]);
  return [name, text === 'default' ? null : read(text)];
}

/** A value that is not a number is sent unchanged, and the gateway refuses it. */
function toNumber(text: string): unknown {
  return /^\d+$/.test(text) ? Number(text) : text;
}
