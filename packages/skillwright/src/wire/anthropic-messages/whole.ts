import type { WireBody, WireFrame } from '../../spec/wire.ts';
import type { WireRound } from '../../spec/formats/proxy-format.ts';
import { isGiven, listOf, recordsOf, textOf } from '../json/json-text.ts';
import { encodeFrame } from '../stream/sse.ts';
import { callName, inputAsText, isCall, isText } from './fields.ts';
import { addRounds } from './patch.ts';

/** The fields about a message's end. A message of several rounds has those of the last round. */
const END_FIELDS = ['stop_reason', 'stop_sequence', 'stop_details', 'context_management'] as const;

export function mergeResponses(rounds: readonly WireRound[]): WireBody {
  const first = rounds[0]?.response ?? {};
  const last = rounds.at(-1)?.response ?? {};
  // A body that is not a message, such as an error, cannot be merged.
  if (!Array.isArray(last.content)) return last;
  const content = rounds.flatMap(({ response, isHidden, hidesText }) =>
    listOf(response.content).filter((block) =>
      isCall(block) ? !isHidden(callName(block)) : !(hidesText === true && isText(block)),
    ),
  );
  if (rounds.length === 1 && content.length === last.content.length) return last;
  const end = END_FIELDS.filter((key) => Object.hasOwn(last, key)).map((key) => [key, last[key]] as const);
  const usage = rounds.map(({ response }) => response.usage).reduce(addRounds, undefined);
  return {
    ...first,
    content,
    ...Object.fromEntries(end),
    ...(last.stop_reason === 'tool_use' && !content.some(isCall) ? { stop_reason: 'end_turn' } : {}),
    ...(isGiven(last.container) ? { container: last.container } : {}),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** Converts a whole message to a stream, with each block in one piece. */
export function streamOf(message: WireBody): readonly WireFrame[] {
  const { stop_reason: reason = null, stop_sequence: sequence = null, usage, content } = message;
  const started = { ...message, content: [], stop_reason: null, stop_sequence: null };
  const events = [
    { type: 'message_start', message: started },
    ...recordsOf(content).flatMap((block, index) => {
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

/** The start of a block and its deltas. Blocks of unknown types start whole. */
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
