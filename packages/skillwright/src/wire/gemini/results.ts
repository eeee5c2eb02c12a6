import type { ToolCall, ToolContent, ToolResult, WireBody } from '../../spec/wire.ts';
import { type GivenAnswer, orderAnswers, type TurnAnswers, resultText } from '../calls/result-order.ts';
import { endOfRun } from '../history/turns.ts';
import { isRecord, recordOf, textOf } from '../json/json-text.ts';
import { callIn, fieldOf, isOfClient, isOfModel, itemsOf, partsIn, responseIn, spelling } from './fields.ts';

/** Media types that Gemini 3 and later accept in a tool's result, in addition to text. */
const MEDIA: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'application/pdf', 'text/plain']);

/** The part that answers a call. `id` must be the id from the provider, never a generated id. */
export function resultPart(result: ToolResult, id: string | undefined, model: string | undefined): WireBody {
  const { name, content, isError } = result;
  const takesMedia = Number(/gemini-(\d+)/.exec(model ?? '')?.[1] ?? 0) >= 3;
  const isMedia = (item: ToolContent): boolean => item.type !== 'text' && takesMedia && MEDIA.has(item.mimeType);
  const text = content
    .filter((item) => !isMedia(item))
    .map(resultText)
    .join('\n');
  const media = content.flatMap((item) =>
    item.type !== 'text' && isMedia(item) ? [{ inlineData: { mimeType: item.mimeType, data: item.data } }] : [],
  );
  const functionResponse = {
    ...(id === undefined ? {} : { id }),
    name,
    response: { [isError ? 'error' : 'output']: text },
    ...(media.length === 0 ? {} : { parts: media }),
  };
  return { functionResponse };
}

/** The ids that the provider gave to calls, by the calls' ids here. Generated ids are never sent to the provider. */
export function givenIds(contents: readonly unknown[], calls: readonly ToolCall[]): ReadonlyMap<string, string> {
  const given = partsIn(contents)
    .map(callIn)
    .filter((call) => textOf(call?.name) !== undefined);
  const pairs = calls.flatMap(({ id }, position) => {
    const own = textOf(given[position]?.id);
    return own === undefined ? [] : [[id, own] as const];
  });
  return new Map(pairs);
}

/**
 * Collects all responses from the client's consecutive contents after the turn, and puts them first in the content
 * right after the turn. The model is not known here, so a description replaces media in our results.
 */
export function spliceResults(history: readonly unknown[], at: number, answers: TurnAnswers): readonly unknown[] {
  const start = history.slice(0, at).findLastIndex((content) => !isOfModel(content)) + 1;
  const ids = givenIds(history.slice(start, at), answers.calls);
  const end = endOfRun(history, at, isOfClient);
  const contents = history.slice(at, end).filter(isOfClient);
  const given = matchResponses(partsIn(contents), answers).map(({ answer, callId }) => ({
    callId,
    answer: withId(answer, ids.get(callId)),
  }));
  const responses = orderAnswers<unknown>(answers, given, {
    encode: (result) => resultPart(result, ids.get(result.callId), undefined),
    rename: (answer, id) => withId(answer, ids.get(id) ?? null),
  });
  if (responses.length === 0) return history;
  const [first, ...others] = contents;
  const next = { role: 'user', ...first, parts: [...responses, ...otherParts(first)] };
  return [...history.slice(0, at), next, ...others.flatMap(withoutResponses), ...history.slice(end)];
}

/** Sets the id of an answer; `null` removes it. The client's answer may carry an id from its own copy of the turn. */
function withId(answer: unknown, id: string | null | undefined): unknown {
  const response = responseIn(answer);
  if (!isRecord(answer) || response === undefined || id === undefined || idOf(response) === '') return answer;
  if (id === null) {
    const { id: _id, ...nameless } = response;
    return { ...answer, [spelling(answer, 'functionResponse')]: nameless };
  }
  return idOf(response) === id ? answer : { ...answer, [spelling(answer, 'functionResponse')]: { ...response, id } };
}

function otherParts(content: WireBody | undefined): readonly unknown[] {
  return itemsOf(content?.parts).filter((part) => responseIn(part) === undefined);
}

/** Removes the function responses from a content, and the whole content if nothing else is left. */
function withoutResponses(content: WireBody): readonly WireBody[] {
  const parts = otherParts(content);
  if (parts.length === itemsOf(content.parts).length) return [content];
  return parts.length === 0 ? [] : [{ ...content, parts }];
}

/**
 * Matches the responses among the parts to calls: by id if the id is known, otherwise to the next call of the same
 * tool.
 */
function matchResponses(parts: readonly unknown[], { calls, results }: TurnAnswers): readonly GivenAnswer<unknown>[] {
  const given = parts.flatMap((answer) => {
    const response = responseIn(answer);
    return response === undefined ? [] : [{ answer, id: idOf(response), name: textOf(response.name) ?? '' }];
  });
  const taken = new Set([...results.map(({ callId }) => callId), ...given.map(({ id }) => id)]);
  const open = Map.groupBy(
    calls.filter(({ id }) => !taken.has(id)),
    ({ name }) => name,
  );
  const ids = new Set(calls.map(({ id }) => id));
  return given.map(({ answer, id, name }) => ({
    answer,
    callId: ids.has(id) ? id : (open.get(name)?.shift()?.id ?? ''),
  }));
}

function idOf(response: WireBody): string {
  return textOf(response.id) ?? '';
}

/** Keeps answers to calls without a provider's id, because nothing identifies the call that they answer. */
export function dropResults(
  history: readonly unknown[],
  dropped: ReadonlySet<string>,
  note: string,
): readonly unknown[] {
  return history.map((content) => {
    if (!isRecord(content) || !itemsOf(content.parts).some((part) => isAnswerTo(part, dropped))) return content;
    const parts = itemsOf(content.parts).map((part) => (isAnswerTo(part, dropped) ? withNote(part, note) : part));
    return { ...content, parts };
  });
}

function isAnswerTo(part: unknown, dropped: ReadonlySet<string>): part is WireBody {
  const id = isRecord(part) ? textOf(recordOf(fieldOf(part, 'functionResponse')).id) : undefined;
  return id !== undefined && dropped.has(id);
}

/** Replaces the content of an answer with a note. Also removes the answer's media. */
function withNote(part: WireBody, note: string): WireBody {
  const key = spelling(part, 'functionResponse');
  const { parts: _media, ...answer } = recordOf(part[key]);
  const isError = Object.hasOwn(recordOf(answer.response), 'error');
  return { ...part, [key]: { ...answer, response: { [isError ? 'error' : 'output']: note } } };
}
