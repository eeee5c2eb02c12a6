import { CliError } from '../cli-error.ts';
import type { GatewayClient } from './gateway-client.ts';
import type { PageAnswer, SkillRow } from './gateway-records.ts';

/** The most a list answers at once. */
const MAX_LIMIT = '200';

/** The skill that a person means: by its id, its name, or `name@version`. Of several versions the highest. */
export async function findSkill(client: GatewayClient, text: string): Promise<SkillRow> {
  const { data } = await client.get<PageAnswer<SkillRow>>('/api/skills', { q: nameOf(text), limit: MAX_LIMIT });
  const named = data.filter(({ name, version }) => text === name || text === `${name}@${version}`);
  if (named.length === 0) return client.get<SkillRow>(`/api/skills/${encodeURIComponent(text)}`);
  const owners = new Set(named.map(({ apiKeyId }) => apiKeyId));
  if (owners.size > 1) throw ambiguous(text, named);
  return named.toSorted((one, other) => compareVersions(other.version, one.version))[0] as SkillRow;
}

function nameOf(text: string): string {
  const end = text.lastIndexOf('@');
  return end < 1 ? text : text.slice(0, end);
}

function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

function ambiguous(text: string, named: readonly SkillRow[]): CliError {
  const choices = named.map(
    ({ id, version, apiKeyId }) => `${id} is version ${version} of ${apiKeyId ?? 'everybody'}.`,
  );
  return new CliError('GatewayRefused', `Several keys have a skill '${text}'. Name it by its id.`, {
    hints: choices.slice(0, 10),
    data: { ids: named.map(({ id }) => id) },
  });
}
