import {
  assistantMessage,
  toolMessage,
  userMessage,
  withNames,
  type ConversationMessage,
  type ReadRequest,
} from './conversation.ts';
import { listOf, recordOf, textOf, type JsonRecord } from './json-values.ts';
import { offeredFunctions, openaiErrorBody, responsesFunctions } from './openai-functions.ts';
import { itemsOf, itemType, keepOutput, outputItems } from './openai-responses-items.ts';
import { responseObject, responsesFrames } from './openai-responses-stream.ts';
import type { ServedRequest, ServedFormat, WholeAnswer } from './served-format.ts';
import type { SpokenTurn } from './spoken-turn.ts';

export const servedOpenaiResponses: ServedFormat = {
  format: 'openai-responses',
  callPrefix: 'call_',
  read,
  answer,
  keep: keepOutput,
  frames: responsesFrames,
  errorBody: openaiErrorBody,
};

function read(request: ServedRequest): ReadRequest {
  const items = itemsOf(request);
  const system = [
    textOf(request.body.instructions),
    ...items.filter(isSystem).map(({ content }) => contentText(content)),
  ];
  return {
    system: system.filter((text) => text !== '').join('\n\n'),
    messages: withNames(joined(items.filter((item) => !isSystem(item)).flatMap(readItem))),
    tools: offeredFunctions(responsesFunctions(request.body)),
  };
}

function isSystem({ role }: JsonRecord): boolean {
  return role === 'system' || role === 'developer';
}

function readItem(item: JsonRecord): readonly ConversationMessage[] {
  switch (itemType(item)) {
    case 'message': {
      const text = contentText(item.content);
      return [item.role === 'assistant' ? assistantMessage(text) : userMessage(text)];
    }
    case 'function_call': {
      const call = { id: textOf(item.call_id), name: textOf(item.name), argumentsText: textOf(item.arguments) };
      return [assistantMessage('', [call])];
    }
    case 'function_call_output': {
      const text = contentText(item.output);
      return [toolMessage([{ callId: textOf(item.call_id), name: '', text, isError: false }])];
    }
    default:
      return [];
  }
}

/** Joins consecutive items of the model, or of tools, into one message. */
function joined(messages: readonly ConversationMessage[]): readonly ConversationMessage[] {
  const result: ConversationMessage[] = [];
  for (const message of messages) {
    const last = result.at(-1);
    if (last === undefined || last.role !== message.role || message.role === 'user') result.push(message);
    else {
      result[result.length - 1] = {
        role: last.role,
        text: [last.text, message.text].filter((text) => text !== '').join('\n'),
        calls: [...last.calls, ...message.calls],
        results: [...last.results, ...message.results],
      };
    }
  }
  return result;
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = listOf(content).map((part) => {
    const { text, refusal } = recordOf(part);
    return textOf(text) + textOf(refusal);
  });
  return texts.filter((text) => text !== '').join('\n');
}

function answer(turn: SpokenTurn, request: ServedRequest): WholeAnswer {
  const output = outputItems(turn, request).map(({ whole }) => whole);
  return { status: 200, body: responseObject(turn, request, { output, isDone: true }) };
}
