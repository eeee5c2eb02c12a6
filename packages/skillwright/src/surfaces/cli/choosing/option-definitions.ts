import type { OptionDefinition } from '../command.ts';

export const RANKER_OPTION: OptionDefinition = {
  type: 'string',
  value: 'ranker',
  choices: ['lexical', 'additive'],
  default: 'lexical',
  description: 'How to rank: lexical (default) reads everything, additive is the documented table of points.',
};
