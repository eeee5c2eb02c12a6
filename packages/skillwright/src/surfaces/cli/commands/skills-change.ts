import { usageError } from '../cli-error.ts';
import { findSkill } from '../gateway-client/find-skill.ts';
import { readJsonWord } from '../gateway-client/json-word.ts';
import type { ActionRequest } from '../gateway-client/run-action.ts';
import { toLine } from '../terminal-text.ts';

/** How the values of `set` are written. */
const VALUES: Readonly<Record<string, (text: string) => unknown>> = {
  mode: (text) => text,
  policy: (text) => text,
  tags: (text) => text.split(',').flatMap((tag) => (tag.trim() === '' ? [] : [tag.trim()])),
  timeoutMs: toNumber,
  retries: toNumber,
};

interface Changed {
  readonly enabled: boolean;
  readonly mode: string;
}

export function enable(request: ActionRequest): Promise<number> {
  return update(request, { enabled: true });
}

export function disable(request: ActionRequest): Promise<number> {
  return update(request, { enabled: false });
}

export function change(request: ActionRequest): Promise<number> {
  return update(request, Object.fromEntries(request.words.slice(1).map(toSetting)));
}

async function update({ invocation, client, words }: ActionRequest, body: object): Promise<number> {
  const { output, globals } = invocation;
  const { id, name, version } = await findSkill(client, words[0] ?? '');
  const changed = await client.send<Changed>('PUT', `/api/skills/${encodeURIComponent(id)}`, body);
  if (globals.json) output.json({ id, ...changed });
  else output.line(`${output.style('good', '✓')} ${toLine(`${name}@${version}`)}: mode ${changed.mode}`);
  return 0;
}

export async function remove({ invocation, client, words }: ActionRequest): Promise<number> {
  const { output, globals } = invocation;
  const { id, name, version } = await findSkill(client, words[0] ?? '');
  const answer = await client.send<object>('DELETE', `/api/skills/${encodeURIComponent(id)}`);
  if (globals.json) output.json({ id, ...answer });
  else output.line(`${output.style('good', '✓')} ${toLine(`${name}@${version}`)} is removed.`);
  return 0;
}

export async function install({ invocation, client, words }: ActionRequest): Promise<number> {
  const { output, globals } = invocation;
  const description = await readJsonWord(invocation, words[0] ?? '');
  const answer = await client.send<{ readonly id: string }>('POST', '/api/skills/install', description);
  if (globals.json) output.json(answer);
  else {
    output.line(`${output.style('good', '✓')} Installed as ${answer.id}. It is off:`);
    output.line(`  skillwright skills enable ${answer.id}`);
  }
  return 0;
}

function toSetting(word: string): [string, unknown] {
  const [, name = '', text = ''] = /^(\w+)=(.*)$/s.exec(word) ?? [];
  const read = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined;
  if (read === undefined)
    throw usageError(`'${word}' is no setting of a skill.`, [
      `Write name=value, where the name is one of ${Object.keys(VALUES).join(', ')}.`,
    ]);
  return [name, read(text)];
}

/** `default` takes back what was set; what is no number is for the gateway to refuse. */
function toNumber(text: string): unknown {
  if (text === 'default') return null;
  return /^\d+$/.test(text) ? Number(text) : text;
}
