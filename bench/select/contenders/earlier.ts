import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { createRanker as CreateRanker } from '../../../packages/skillwright/src/select/ranking/create-ranker.ts';
import type { Build } from './contender.ts';
import { searchWith } from './lexical.ts';

/** The checkout is named in the address of this module, because measuring processes get nothing else. */
const CHECKOUT = new URL(import.meta.url).searchParams.get('checkout') ?? '.';
const RANKER = resolve(CHECKOUT, 'packages/skillwright/src/select/ranking/create-ranker.ts');

export const build: Build = async (skills) => {
  const { createRanker } = (await import(pathToFileURL(RANKER).href)) as { createRanker: typeof CreateRanker };
  return searchWith(createRanker, skills);
};
