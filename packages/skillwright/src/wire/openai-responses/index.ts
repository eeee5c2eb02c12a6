import type { ProxyFormat } from '../../spec/formats/proxy-format.ts';
import { toolChoice } from '../openai-fields.ts';
import * as history from './history.ts';
import { keptAnswer } from './kept-answer.ts';
import { createStreamReader } from './reader.ts';
import * as request from './request.ts';
import { readResponse } from './response.ts';
import { dropResults, spliceResults } from './results.ts';
import * as whole from './whole.ts';
import * as writer from './writer.ts';

/**
 * The format of OpenAI's Responses API and of OpenRouter's stateless variant. Every round sends all items again, which
 * works whether or not the provider stores responses.
 */
export const openaiResponses: ProxyFormat = {
  name: 'openai-responses',
  historyField: 'input',
  ...request,
  ...toolChoice,
  keptAnswer,
  readResponse,
  createStreamReader,
  ...writer,
  ...whole,
  ...history,
  spliceResults,
  dropResults,
};
