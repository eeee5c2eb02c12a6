import { PROGRAM } from '../../../../spec/program.ts';
import { closestName } from '../../../../parse/closest-name.ts';
import { CliError } from '../../cli-error.ts';
import { MAX_LIMIT, readAllSkills } from '../client/all-pages.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import type { RestAnswers, Skill } from '../client/rest-types.ts';

/** A shorter text is probably an unknown name rather than the start of an id. */
const LEAST_START = 4;

/**
 * Finds a skill by its name, `name@version`, its id, the start of its id, or a built-in's other name. If several
 * versions match, returns the highest.
 */
export async function findSkill(client: GatewayClient, text: string): Promise<Skill> {
  const { skills } = await client.get<RestAnswers['listSkills']>('/api/skills', { q: nameOf(text), limit: MAX_LIMIT });
  const named = skills.filter(({ name, version }) => text === name || text === `${name}@${version}`);
  if (named.length === 0) return findById(client, text);
  const owners = new Set(named.map(({ apiKeyId }) => apiKeyId));
  if (owners.size > 1) throw ambiguous(`Several keys have a skill '${text}'. Use its id instead.`, named, ofWhom);
  return named.toSorted((one, other) => compareVersions(other.version, one.version))[0] as Skill;
}

async function findById(client: GatewayClient, text: string): Promise<Skill> {
  try {
    return await client.get<RestAnswers['getSkill']>(`/api/skills/${encodeURIComponent(text)}`);
  } catch (error) {
    if (!(error instanceof CliError) || error.data['code'] !== 'UnknownSkill') throw error;
  }
  const all = await readAllSkills(client);
  const start = text.replace(/…$/, '');
  const begun = start.length < LEAST_START ? [] : all.filter(({ id }) => id.startsWith(start));
  if (begun.length > 1)
    throw ambiguous(`The ids of ${begun.length} skills begin with '${start}'.`, begun, nameAndVersion);
  return begun[0] ?? unknown(text, all);
}

function unknown(text: string, all: readonly Skill[]): never {
  const name = nameOf(text);
  const versions = all.filter((skill) => skill.name === name).map(({ version }) => version);
  const guess = closestName(
    name,
    all.map((skill) => skill.name),
  );
  const hints = [
    ...(versions.length > 0 ? [`Versions of ${name}: ${versions.join(', ')}.`] : []),
    ...(versions.length === 0 && guess !== undefined ? [`Did you mean '${guess}'?`] : []),
    `${PROGRAM} skills list shows every skill.`,
  ];
  throw new CliError('GatewayRefused', `There is no skill with the name or id '${text}'.`, {
    hints,
    data: { status: 404, code: 'UnknownSkill', skill: text, suggestion: guess ?? null },
  });
}

function ofWhom({ version, apiKeyId }: Skill): string {
  return `version ${version} of ${apiKeyId ?? 'everybody'}`;
}

function nameAndVersion({ name, version }: Skill): string {
  return `${name}@${version}`;
}

function nameOf(text: string): string {
  const end = text.lastIndexOf('@');
  return end < 1 ? text : text.slice(0, end);
}

/** Sorts lower versions first. */
export function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

function ambiguous(message: string, meant: readonly Skill[], about: (skill: Skill) => string): CliError {
  return new CliError('GatewayRefused', message, {
    hints: meant.slice(0, 10).map((skill) => `${skill.id} is ${about(skill)}.`),
    data: { ids: meant.map(({ id }) => id) },
  });
}
