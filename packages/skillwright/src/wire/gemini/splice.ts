import type { WireBody } from '../../spec/wire.ts';
import { givenIds, isOfClient, isOfModel, partsIn, responseIn } from './contents.ts';
import { responsePart } from './results.ts';
import { listValue, spelling, textValue } from './parts.ts';
import { endOfRun } from '../history/turns.ts';
import { isRecord } from '../json/json-text.ts';
import { type GivenAnswer, orderAnswers, type TurnAnswers } from '../calls/result-order.ts';

/**
 * All responses stand first in the content after the turn, taken from all contents of the client that follow each other
 * there. Which model reads them is not known here, so media in them are named in words.
 */
export function spliceGeminiResults(history: readonly unknown[], at: number, answers: TurnAnswers): readonly unknown[] {
  const start = history.slice(0, at).findLastIndex((content) => !isOfModel(content)) + 1;
  const ids = givenIds(history.slice(start, at), answers.calls);
  const end = endOfRun(history, at, isOfClient);
  const contents = history.slice(at, end).filter(isOfClient);
  const given = matchResponses(partsIn(contents), answers).map(({ answer, callId }) => ({
    callId,
    answer: withId(answer, ids.get(callId)),
  }));
  const responses = orderAnswers<unknown>(answers, given, {
    encode: (result) => responsePart(result, ids.get(result.callId), undefined),
    rename: (answer, id) => withId(answer, ids.get(id) ?? null),
  });
  if (responses.length === 0) return history;
  const [first, ...others] = contents;
  const next = { role: 'user', ...first, parts: [...responses, ...otherParts(first)] };
  return [...history.slice(0, at), next, ...others.flatMap(withoutResponses), ...history.slice(end)];
}

/** The turn that is answered may be a twin of the client's, with ids of its own; `null` where it has none. */
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
  return listValue(content?.parts).filter((part) => responseIn(part) === undefined);
}

/** A content is not sent without parts. */
function withoutResponses(content: WireBody): readonly WireBody[] {
  const parts = otherParts(content);
  if (parts.length === listValue(content.parts).length) return [content];
  return parts.length === 0 ? [] : [{ ...content, parts }];
}

/** Responses among the parts, with the calls they answer: by id where it is known, or else the next call of that name. */
function matchResponses(parts: readonly unknown[], { calls, results }: TurnAnswers): readonly GivenAnswer<unknown>[] {
  const given = parts.flatMap((answer) => {
    const response = responseIn(answer);
    return response === undefined ? [] : [{ answer, id: idOf(response), name: textValue(response.name) ?? '' }];
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
  return textValue(response.id) ?? '';
}
