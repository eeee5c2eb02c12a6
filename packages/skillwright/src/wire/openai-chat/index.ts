import type { ProxyFormat } from '../../spec/formats/proxy-format.ts';
import { mayRefuseTools } from '../calls/refused-tools.ts';
import {
  appendTurn,
  canonicalTurn,
  historyEntries,
  historyOf,
  lastWords,
  readHistory,
  withoutOrigin,
} from './history.ts';
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
  usageChoice,
} from './request.ts';
import { readResponse } from './response.ts';
import { dropResults, spliceResults } from './results.ts';
import { mergeResponses, streamOf } from './whole.ts';
import { createStreamWriter, extendEnd } from './writer.ts';

/** OpenAI's chat completions, and what the many servers that speak it make of them. */
export const openaiChat: ProxyFormat = {
  name: 'openai-chat',
  historyField: 'messages',
  createRequest,
  target,
  encodeTools,
  usageChoice,
  addSystem,
  addTools,
  toolNames,
  obstacle,
  mayRefuseTools,
  forbidsCalls,
  requiredCall,
  isStructured,
  hints,
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
  spliceResults,
  dropResults,
};
