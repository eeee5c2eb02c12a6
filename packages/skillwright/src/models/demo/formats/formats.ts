import type { WireFormatName } from '../../../spec/wire.ts';
import { servedAnthropicMessages } from './anthropic-messages.ts';
import { servedGemini } from './gemini.ts';
import { servedOpenaiChat } from './openai-chat.ts';
import { servedOpenaiResponses } from './openai-responses.ts';
import type { ServedFormat } from './served-format.ts';

const FORMATS: Readonly<Record<WireFormatName, ServedFormat>> = {
  'openai-chat': servedOpenaiChat,
  'openai-responses': servedOpenaiResponses,
  'anthropic-messages': servedAnthropicMessages,
  gemini: servedGemini,
};

export function servedFormat(format: WireFormatName): ServedFormat {
  return FORMATS[format];
}
