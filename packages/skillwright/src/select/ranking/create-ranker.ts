import { SkillwrightError } from '../../spec/errors/error.ts';
import type { RankableSkill, Ranker, RankerKind, RankerOptions } from '../../spec/ranker.ts';
import { assertKnownOptions } from '../option-names.ts';
import { createAdditiveRanker } from './additive/additive-ranker.ts';
import { createLexicalRanker } from './lexical/lexical-ranker.ts';

const KINDS: Readonly<Record<RankerKind, (skills: Iterable<RankableSkill>) => Ranker>> = {
  lexical: createLexicalRanker,
  additive: createAdditiveRanker,
};

/** Creates a ranker over these skills. It has its own index, which changes only by `add`, `remove` and `setBody`. */
export function createRanker(skills: Iterable<RankableSkill> = [], options: RankerOptions = {}): Ranker {
  assertKnownOptions(options, { ranker: true });
  const kind = options.ranker ?? 'lexical';
  if (Object.hasOwn(KINDS, kind)) return KINDS[kind](skills);
  throw new SkillwrightError(
    'InvalidOptions',
    `Option 'ranker' must be ${Object.keys(KINDS).join(' or ')}, not '${kind}'.`,
    {
      data: { option: 'ranker' },
    },
  );
}
