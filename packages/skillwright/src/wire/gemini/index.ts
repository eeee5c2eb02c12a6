import type { ProxyFormat } from '../../spec/formats/proxy-format.ts';
import * as history from './history.ts';
import { createStreamReader } from './reader.ts';
import * as request from './request.ts';
import { readResponse } from './response.ts';
import { dropResults, spliceResults } from './results.ts';
import * as whole from './whole.ts';
import * as writer from './writer.ts';

/** Google's `generateContent` and `streamGenerateContent`, limited to what all of its models support. */
export const gemini: ProxyFormat = {
  name: 'gemini',
  historyField: 'contents',
  ...request,
  readResponse,
  createStreamReader,
  ...writer,
  ...whole,
  ...history,
  spliceResults,
  dropResults,
};
