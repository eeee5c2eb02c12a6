import { createRanker, type RankedSkill } from 'skillwright';
import type { Caller } from '../../http/gateway-env.ts';
import type { GatewayParts } from '../../parts.ts';
import type { RegisteredSkill } from '../../registry/registered-skill.ts';
import { seesSkill } from '../whose.ts';

const DEFAULT_LIMIT = 5;

export interface MatchRequest {
  readonly text: string;
  readonly limit?: number | undefined;
}

/**
 * Finds the skills that fit a text, with confidence and reasons. Packages are ranked as the proxy ranks them; handlers
 * by name, description and tags. Only the highest version of each is considered.
 */
export async function matchSkills(
  { text, limit = DEFAULT_LIMIT }: MatchRequest,
  caller: Caller,
  { registry, skills: host }: Pick<GatewayParts, 'registry' | 'skills'>,
): Promise<object> {
  const view = await registry.fresh();
  const isHighest = ({ id, name, apiKeyId }: RegisteredSkill): boolean =>
    view.versions(name, apiKeyId).find((other) => other.apiKeyId === apiKeyId && other.mode !== 'off')?.id === id;
  const candidates = view.all.filter((skill) => skill.mode !== 'off' && seesSkill(caller, skill) && isHighest(skill));
  const packages = new Map(candidates.filter(({ kind }) => kind === 'package').map((skill) => [skill.name, skill]));
  const others = candidates.filter(({ kind }) => kind !== 'package');
  const isCandidate = (name: string): boolean => packages.has(name);
  const ranked = host.runtime.ranking.for(host.snapshot).rank(text, { limit, isCandidate });
  const functions = createRanker(others.map(({ id, name, description, tags }) => ({ id, name, description, tags })));
  const byId = new Map(others.map((skill) => [skill.id, skill]));
  const fitting = [
    ...ranked.flatMap((one) => toMatch(one, packages.get(one.id))),
    ...functions.rank(text, { limit }).flatMap((one) => toMatch(one, byId.get(one.id))),
  ].toSorted((one, other) => other.confidence - one.confidence);
  const isRanked = new Set(fitting.map(({ id }) => id));
  const always = candidates.filter(({ id, mode }) => mode === 'on' && !isRanked.has(id));
  const found = [...fitting.slice(0, limit), ...always.map((skill) => matchOf(skill, UNRANKED))];
  return { fits: fitting.length > 0, skills: found };
}

interface Match extends Pick<RegisteredSkill, 'id' | 'name' | 'version' | 'description' | 'mode'> {
  readonly score: number;
  readonly confidence: number;
  readonly reasons: RankedSkill['reasons'];
}

const UNRANKED: Pick<RankedSkill, 'score' | 'confidence' | 'reasons'> = { score: 0, confidence: 0, reasons: [] };

function toMatch(ranked: RankedSkill, skill: RegisteredSkill | undefined): Match[] {
  return skill === undefined ? [] : [matchOf(skill, ranked)];
}

function matchOf(
  { id, name, version, description, mode }: RegisteredSkill,
  { score, confidence, reasons }: Pick<RankedSkill, 'score' | 'confidence' | 'reasons'>,
): Match {
  return { id, name, version, description, mode, score, confidence, reasons };
}
