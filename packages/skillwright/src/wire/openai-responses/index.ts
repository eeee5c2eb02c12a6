import type { ProxyFormat } from '../../spec/formats/proxy-format.ts';
import { mayRefuseTools } from '../calls/refused-tools.ts';
import { entryIds, mendTurn } from './entry-ids.ts';
import {
  appendTurn,
  canonicalTurn,
  historyEntries,
  historyOf,
  lastWords,
  readHistory,
  withoutOrigin,
} from './history.ts';
import { keptAnswer } from './kept-answer.ts';
import { createStreamReader } from './reader.ts';
import {
  addSystem,
  addTools,
  createRequest,
  encodeTools,
  forbidsCalls,
  hints,
  isStructured,
  obstacle,
  requiredCall,
  target,
  toolNames,
} from './request.ts';
import { readResponse } from './response.ts';
import { dropResults, spliceResults } from './results.ts';
import { mergeResponses, streamOf } from './whole.ts';
import { createStreamWriter, extendEnd } from './writer.ts';

/**
 * The format of OpenAI's Responses API and of OpenRouter's stateless variant. Rounds are put together by sending every
 * item again, which is right whether or not the provider stores responses.
 */
export const openaiResponses: ProxyFormat = {
  name: 'openai-responses',
  historyField: 'input',
  createRequest,
  target,
  encodeTools,
  addSystem,
  addTools,
  toolNames,
  obstacle,
  mayRefuseTools,
  forbidsCalls,
  requiredCall,
  isStructured,
  hints,
  keptAnswer,
  readResponse,
  createStreamReader,
  createStreamWriter,
  extendEnd,
  mergeResponses,
  streamOf,
  appendTurn,
  historyOf,
  lastWords,
  readHistory,
  canonicalTurn,
  historyEntries,
  withoutOrigin,
  mendTurn,
  entryIds,
  spliceResults,
  dropResults,
};
