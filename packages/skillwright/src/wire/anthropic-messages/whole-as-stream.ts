import type { WireBody, WireFrame } from '../../spec/wire.ts';
import { inputAsText, listOf, textOf } from './response.ts';
import { isRecord } from '../json/json-text.ts';
import { encodeFrame } from '../stream/sse.ts';

/** The stream that a whole message would have been, each block in one piece. */
export function streamMessage(message: WireBody): readonly WireFrame[] {
  const { stop_reason: reason = null, stop_sequence: sequence = null, usage, content } = message;
  const started = { ...message, content: [], stop_reason: null, stop_sequence: null };
  const events = [
    { type: 'message_start', message: started },
    ...listOf(content)
      .filter(isRecord)
      .flatMap((block, index) => {
        const { start, deltas } = pieces(block);
        return [
          { type: 'content_block_start', index, content_block: start },
          ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
          { type: 'content_block_stop', index },
        ];
      }),
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: sequence }, usage: usage ?? {} },
    { type: 'message_stop' },
  ];
  return events.map((event) => encodeFrame(JSON.stringify(event), event.type));
}

/** A block as it starts, and what it grows by. Blocks that are not known here start whole. */
function pieces(block: WireBody): { readonly start: WireBody; readonly deltas: readonly WireBody[] } {
  switch (block.type) {
    case 'text':
      return { start: { ...block, text: '' }, deltas: [{ type: 'text_delta', text: textOf(block.text) ?? '' }] };
    case 'thinking':
      return {
        start: { ...block, thinking: '', signature: '' },
        deltas: [
          { type: 'thinking_delta', thinking: textOf(block.thinking) ?? '' },
          { type: 'signature_delta', signature: textOf(block.signature) ?? '' },
        ],
      };
    case 'tool_use':
    case 'server_tool_use':
      return {
        start: { ...block, input: {} },
        deltas: [{ type: 'input_json_delta', partial_json: inputAsText(block.input) }],
      };
    default:
      return { start: block, deltas: [] };
  }
}
