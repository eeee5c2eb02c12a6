import type { ProxyFormat } from '../../spec/formats/proxy-format.ts';
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
} from './request.ts';
import { readResponse } from './response.ts';
import { dropResults, spliceResults } from './results.ts';
import { mergeResponses, streamOf } from './whole.ts';
import { createStreamWriter, extendEnd } from './writer.ts';

/** Google's `generateContent` and `streamGenerateContent`, as every model of it can speak it. */
export const gemini: ProxyFormat = {
  name: 'gemini',
  historyField: 'contents',
  createRequest,
  target,
  encodeTools,
  addSystem,
  addTools,
  toolNames,
  obstacle,
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
