import { servedFormat } from '../../models/demo/formats/formats.ts';
import type { Refusal, ServedFormat } from '../../models/demo/formats/served-format.ts';
import type { WireFormatName } from '../../spec/wire.ts';
import { messagesRefusals } from '../checks/anthropic-messages.ts';
import type { FormatRequest } from './format-request.ts';
import { geminiRefusals } from '../checks/gemini.ts';
import { chatRefusals } from '../checks/openai-chat.ts';
import { responsesRefusals } from '../checks/openai-responses.ts';

/** A format that is served strictly. */
export interface FormatServer extends ServedFormat {
  /** What the provider would refuse, in the order it would find it. Only the first is ever asked for. */
  refusals(request: FormatRequest): Iterable<Refusal>;
}

const REFUSALS: Readonly<Record<WireFormatName, FormatServer['refusals']>> = {
  'openai-chat': chatRefusals,
  'openai-responses': responsesRefusals,
  'anthropic-messages': messagesRefusals,
  gemini: geminiRefusals,
};

export function formatServer(format: WireFormatName): FormatServer {
  return { ...servedFormat(format), refusals: REFUSALS[format] };
}
