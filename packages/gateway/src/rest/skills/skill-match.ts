import { createRanker, type CutOptions, type RankedSkill, type Ranker, type RankOptions } from 'skillwright';
import { cutRanking, describeCut, type RankingCut } from 'skillwright/select';
import type { Caller } from '../../http/gateway-env.ts';
import type { GatewayParts } from '../../parts.ts';
import type { RegisteredSkill } from '../../registry/registered-skill.ts';
import { seesSkill } from '../whose.ts';

export interface MatchRequest extends CutOptions {
  readonly text: string;
  /** How many skills of the plain ranking to return. Default: the skills that a model would be shown. */
  readonly limit?: number | undefined;
}

/**
 * Finds the skills that fit a text, with confidence and reasons, and says where the rankings were cut. Packages are
 * ranked as the proxy ranks them; handlers by name, description and tags. Only the highest version of each is
 * considered.
 */
export async function matchSkills(
  { text, limit, maxSkills, eagerness }: MatchRequest,
  caller: Caller,
  { registry, skills: host, config }: Pick<GatewayParts, 'registry' | 'skills' | 'config'>,
): Promise<object> {
  const view = await registry.fresh();
  const isHighest = ({ id, name, apiKeyId }: RegisteredSkill): boolean =>
    view.versions(name, apiKeyId).find((other) => other.apiKeyId === apiKeyId && other.mode !== 'off')?.id === id;
  const candidates = view.all.filter((skill) => skill.mode !== 'off' && seesSkill(caller, skill) && isHighest(skill));
  const packages = new Map(candidates.filter(({ kind }) => kind === 'package').map((skill) => [skill.name, skill]));
  const others = candidates.filter(({ kind }) => kind !== 'package');
  const isCandidate = (name: string): boolean => packages.has(name);
  const options = {
    text,
    limit,
    maxSkills: maxSkills ?? config.maxSkills,
    eagerness: eagerness ?? config.eagerness,
  };
  const ranked = rankAndCut(host.runtime.ranking.for(host.snapshot), { ...options, isCandidate });
  const functions = createRanker(others.map(({ id, name, description, tags }) => ({ id, name, description, tags })));
  const rankedFunctions = rankAndCut(functions, options);
  const byId = new Map(others.map((skill) => [skill.id, skill]));
  const fitting = [
    ...ranked.shown.flatMap((one) => toMatch(one, packages.get(one.id))),
    ...rankedFunctions.shown.flatMap((one) => toMatch(one, byId.get(one.id))),
  ].toSorted((one, other) => other.confidence - one.confidence);
  const isRanked = new Set(fitting.map(({ id }) => id));
  const always = candidates.filter(({ id, mode }) => mode === 'on' && !isRanked.has(id));
  const found = [...fitting.slice(0, limit), ...always.map((skill) => matchOf(skill, UNRANKED))];
  const next = [
    ...nextOf(ranked.cut, (id) => packages.get(id)?.name),
    ...nextOf(rankedFunctions.cut, (id) => byId.get(id)?.name),
  ];
  const { text: _, limit: __, ...cut } = options;
  return { fits: fitting.length > 0, skills: found, cut: limit === undefined ? { ...cut, next } : null };
}

interface Ranking {
  readonly shown: readonly RankedSkill[];
  /** Where the ranking was cut. Absent if a limit was given. */
  readonly cut?: RankingCut;
}

function rankAndCut(ranker: Ranker, options: MatchRequest & Pick<RankOptions, 'isCandidate'>): Ranking {
  const { text, limit, isCandidate, ...cutOptions } = options;
  if (limit !== undefined) return { shown: ranker.rank(text, { limit, isCandidate }) };
  const most = (cutOptions.maxSkills ?? 0) + 1;
  const cut = cutRanking(ranker.rank(text, { limit: most, threshold: 0, isCandidate }), cutOptions);
  return { shown: cut.shown, cut };
}

/** The first skill that a cut left out, and why. */
function nextOf(cut: RankingCut | undefined, nameOf: (id: string) => string | undefined): object[] {
  const name = cut?.next && nameOf(cut.next.id);
  if (cut?.next === undefined || name === undefined) return [];
  const { next, reason, needed = null } = cut;
  const sentence = describeCut({ ...cut, next: { ...next, id: name } });
  return [{ name, confidence: next.confidence, reason, needed, sentence }];
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
