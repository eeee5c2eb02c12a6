import type { Conversation, ConversationMessage, ConversationResult } from './formats/conversation.ts';
import { parseRecord, textOf, type JsonRecord } from './formats/json-values.ts';

/** A call that the model made, and its result. */
export interface Step {
  readonly name: string;
  readonly arguments: JsonRecord;
  readonly result: ConversationResult | undefined;
}

/** What has happened in the conversation so far. */
export interface Progress {
  /** The calls since the user's last message. */
  readonly steps: readonly Step[];
  /** The instructions that earlier turns loaded, by skill name; the newest for each. */
  readonly loaded: ReadonlyMap<string, string>;
  /** Whether the model has said something before. */
  readonly hasSpoken: boolean;
}

export function readProgress({ messages }: Pick<Conversation, 'messages'>): Progress {
  const start = messages.findLastIndex(({ role }) => role === 'user');
  const all = stepsOf(messages);
  const loaded = all.filter(({ name, result }) => name === 'load_skill' && isInstructions(result));
  return {
    steps: stepsOf(messages.slice(start + 1)),
    loaded: new Map(loaded.map((step) => [textOf(step.arguments.skill), step.result?.text ?? ''])),
    hasSpoken: messages.some(({ role, text }) => role === 'assistant' && text !== ''),
  };
}

/** A repeated load returns only a note, not the instructions. */
function isInstructions(result: ConversationResult | undefined): boolean {
  return result?.text.startsWith('Base directory for this skill: ') === true;
}

function stepsOf(messages: readonly ConversationMessage[]): readonly Step[] {
  const results = messages.flatMap((message) => message.results);
  const byId = Map.groupBy(results, ({ callId }) => callId);
  const byName = Map.groupBy(results, ({ name }) => name);
  return messages
    .flatMap(({ calls }) => calls)
    .map(({ id, name, argumentsText }) => {
      // Some formats have no call ids: their results come in the order of the calls with the same name.
      const answers =
        (id === '' ? undefined : byId.get(id)) ?? (byId.has('') || id === '' ? byName.get(name) : undefined);
      return { name, arguments: parseRecord(argumentsText) ?? {}, result: answers?.shift() };
    });
}
