import type { ProxyFormat } from '../../spec/formats/proxy-format.ts';
import { toolChoice } from '../openai-fields.ts';
import * as history from './history.ts';
import { createStreamReader } from './reader.ts';
import * as request from './request.ts';
import { readResponse } from './response.ts';
import { dropResults, spliceResults } from './results.ts';
import * as whole from './whole.ts';
import * as writer from './writer.ts';

/** OpenAI's chat completions, including the variants of other servers with this API. */
export const openaiChat: ProxyFormat = {
  name: 'openai-chat',
  historyField: 'messages',
  ...request,
  ...toolChoice,
  readResponse,
  createStreamReader,
  ...writer,
  ...whole,
  ...history,
  spliceResults,
  dropResults,
};
