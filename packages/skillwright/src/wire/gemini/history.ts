import type { AssistantTurn, ToolResult, WireBody } from '../../spec/wire.ts';
import type { HistoryTurn } from '../../spec/formats/model-format.ts';
import { acceptedEntries, acceptedName, type CallsWithin } from '../calls/accepted-calls.ts';
import {
  canonicalText,
  endOfRun,
  type HistoryPiece,
  joinTurns,
  type PlacedSaying,
  placeSaying,
  thing,
  type TurnOptions,
  unknownEntry,
  words,
  lastWordsIn,
} from '../history/turns.ts';
import { canonicalArguments, canonicalJson } from '../json/canonical-json.ts';
import { isRecord, parseArguments, textOf } from '../json/json-text.ts';
import { CallArguments } from './call-arguments.ts';
import { callIn, fieldOf, isOfClient, isOfModel, itemsOf, partsIn, responseIn } from './fields.ts';
import { givenIds, resultPart } from './results.ts';

/** Matches calls by position, because clients drop ids and some models do not send any. */
const BY_PLACE: TurnOptions = { ignoresIds: true };

/** A call whose arguments may come in pieces. */
interface GrowingCall {
  readonly type: 'growing';
  readonly id: string;
  readonly name: string;
  readonly args: CallArguments;
}

/** The list of contents in a request. The provider also accepts a single content instead of a list. */
export function historyOf({ contents }: WireBody): readonly unknown[] | undefined {
  return isRecord(contents) ? [contents] : Array.isArray(contents) ? (contents as readonly unknown[]) : undefined;
}

export function lastWords(history: readonly unknown[]): string {
  return lastWordsIn(history, 'parts');
}

export function readHistory(history: readonly unknown[]): readonly HistoryTurn[] {
  const placed: (readonly PlacedSaying[])[] = [];
  for (let start = 0; start < history.length;) {
    // The provider's own client sends each chunk of a stream back as a separate content.
    const end = Math.max(endOfRun(history, start, isOfModel), start + 1);
    placed.push(placeContents(history.slice(start, end), start, end));
    start = end;
  }
  return joinTurns(placed.flat(), BY_PLACE);
}

/** Places consecutive contents of the model, or a single content of another party. */
function placeContents(contents: readonly unknown[], start: number, end: number): readonly PlacedSaying[] {
  const [content] = contents;
  const parts = partsIn(contents);
  if (isOfModel(content)) return placeSaying({ role: 'assistant', pieces: modelPieces(parts) }, start, end);
  if (!isOfClient(content)) return [unknownEntry(content, start)];
  // The provider sends content without role or parts for an empty answer. It belongs to no party, and clients may drop
  // it.
  if (content.role === undefined && parts.length === 0) return [];
  return placeSaying(
    { role: content.role === 'system' ? 'system' : 'user', pieces: parts.map(clientPiece) },
    start,
    end,
  );
}

export function canonicalTurn(turn: AssistantTurn): string {
  return canonicalText('assistant', modelPieces(partsIn([contentOf(turn)])), BY_PLACE);
}

export function appendTurn(body: WireBody, turn: AssistantTurn, results: readonly ToolResult[]): WireBody {
  return { ...body, contents: [...itemsOf(body.contents), ...historyEntries(turn, results)] };
}

export function historyEntries(turn: AssistantTurn, results: readonly ToolResult[]): readonly unknown[] {
  const content = contentOf(turn);
  const accepted = content === undefined ? undefined : acceptedContent(content, turn, results);
  const said = accepted === undefined || itemsOf(accepted.parts).length === 0 ? [] : [accepted];
  const ids = givenIds(said, turn.calls);
  const parts = results
    .map((result) => ({ ...result, name: acceptedName('gemini', result.name) }))
    .map((result) => resultPart(result, ids.get(result.callId), turn.model));
  return parts.length === 0 ? said : [...said, { role: 'user', parts }];
}

/** Drops calls without a name: they cannot be answered, and the provider refuses them. */
function acceptedContent(content: WireBody, { calls }: AssistantTurn, results: readonly ToolResult[]): WireBody {
  const given = itemsOf(content.parts);
  const named = given.filter((part) => callIn(part) === undefined || isNamedCall(part));
  const entries = named.length === given.length ? given : named;
  const parts = acceptedEntries('gemini', { entries, calls, isCall: isNamedCall, write: acceptedCall }, results);
  return parts === given ? content : { ...content, parts };
}

function isNamedCall(part: unknown): boolean {
  return textOf(callIn(part)?.name) !== undefined;
}

/**
 * Changes a call's id and name for the provider. A call without an id gets none, because the provider did not assign
 * one.
 */
const acceptedCall: CallsWithin['write'] = (part, { id: ours }, rename) => {
  const call = callIn(part) ?? {};
  const name = rename(call.name);
  const isSound = call.name === name && (textOf(call.id) ?? ours) === ours;
  if (isSound) return part;
  const id = textOf(call.id) === undefined ? {} : { id: ours };
  const { function_call: _snake, ...rest } = part;
  return { ...rest, functionCall: { ...call, ...id, name } };
};

/** The contents without thoughts and their signatures. */
export function withoutOrigin(contents: readonly unknown[]): readonly unknown[] {
  return contents.flatMap((content) => {
    if (!isRecord(content) || !isOfModel(content)) return [content];
    const parts = itemsOf(content.parts)
      .filter((part) => !isRecord(part) || part.thought !== true)
      .map((part) => {
        if (!isRecord(part)) return part;
        const { thoughtSignature: _camel, thought_signature: _snake, ...rest } = part;
        return rest;
      })
      .filter((part) => !isRecord(part) || Object.keys(part).some((key) => key !== 'text') || part.text !== '');
    return parts.length === 0 ? [] : [{ ...content, parts }];
  });
}

/** The content of a turn. For a turn that came from another format, the content is generated. */
function contentOf({ echo, text, calls }: AssistantTurn): WireBody | undefined {
  if (isRecord(echo)) return echo;
  const said = text === '' ? [] : [{ text }];
  const made = calls.map(({ name, argumentsText }) => {
    const reading = parseArguments(argumentsText);
    return { functionCall: reading.ok ? { name, args: reading.value } : { name } };
  });
  return said.length + made.length === 0 ? undefined : { role: 'model', parts: [...said, ...made] };
}

/**
 * Text, media and calls. Thoughts and the provider's own tool use do not count, because clients may or may not send
 * them back.
 */
function modelPieces(parts: readonly unknown[]): readonly HistoryPiece[] {
  const pieces: (HistoryPiece | GrowingCall)[] = [];
  let open: GrowingCall | undefined;
  for (const part of parts) {
    const call = callIn(part);
    if (call === undefined) {
      pieces.push(...saidPieces(part));
      continue;
    }
    if (open === undefined || textOf(call.name) !== undefined) {
      open = {
        type: 'growing',
        id: textOf(call.id) ?? '',
        name: textOf(call.name) ?? '',
        args: new CallArguments(),
      };
      open.args.add({ args: call.args, ...argumentPieces(call) });
      pieces.push(open);
    } else open.args.add(argumentPieces(call));
    if (fieldOf(call, 'willContinue') !== true) open = undefined;
  }
  return pieces.map((piece) => {
    if (piece.type !== 'growing') return piece;
    return { type: 'call', id: piece.id, name: piece.name, arguments: canonicalArguments(piece.args.value()) };
  });
}

function argumentPieces(call: WireBody): WireBody {
  return { partialArgs: fieldOf(call, 'partialArgs'), willContinue: fieldOf(call, 'willContinue') };
}

function saidPieces(part: unknown): readonly HistoryPiece[] {
  if (!isRecord(part) || part.thought === true) return [];
  if (typeof part.text === 'string') return [words(part.text)];
  const media = mediaIn(part);
  return media === undefined ? [] : [thing(media)];
}

function mediaIn(part: WireBody): unknown {
  return fieldOf(part, 'inlineData') ?? fieldOf(part, 'fileData');
}

function clientPiece(part: unknown): HistoryPiece {
  const response = responseIn(part);
  if (response !== undefined) return resultPiece(response);
  if (!isRecord(part)) return thing(part);
  return typeof part.text === 'string' ? words(part.text) : thing(mediaIn(part) ?? part);
}

function resultPiece({ id, name, response, parts }: WireBody): HistoryPiece {
  const content = [words(canonicalJson(response)), ...itemsOf(parts).map((media) => thing(media))];
  return { type: 'result', id: textOf(id) ?? '', name: textOf(name) ?? '', isError: false, content };
}
