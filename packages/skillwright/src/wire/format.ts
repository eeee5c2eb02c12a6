import { SkillwrightError } from '../spec/errors/error.ts';
import type { WireFormatName } from '../spec/wire.ts';
import type { ProxyFormat } from '../spec/formats/proxy-format.ts';
import { anthropicMessages } from './anthropic-messages/index.ts';
import { gemini } from './gemini/index.ts';
import { openaiChat } from './openai-chat/index.ts';
import { openaiResponses } from './openai-responses/index.ts';

const FORMATS: Readonly<Record<WireFormatName | 'anthropic', ProxyFormat>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
  anthropic: anthropicMessages,
  gemini,
};

/**
 * Returns a format by its name, for model clients (`ModelFormat`) and proxies alike. `anthropic` is short for
 * `anthropic-messages`.
 */
export function wireFormat(name: WireFormatName | 'anthropic'): ProxyFormat {
  if (Object.hasOwn(FORMATS, name)) return FORMATS[name];
  throw new SkillwrightError(
    'InvalidOptions',
    `There is no format '${name}'. The formats are: ${Object.keys(FORMATS).join(', ')}.`,
    { data: { option: 'format' } },
  );
}
