import type { AssistantTurn } from '../../spec/wire.ts';
import { isRecord } from '../json/json-text.ts';
import { TurnAssembly } from './assembly.ts';
import { listValue } from './parts.ts';

/** A turn out of a response in one piece, or out of the list of chunks that a stream is without server-sent events. */
export function readGeminiResponse(response: unknown): AssistantTurn {
  const assembly = new TurnAssembly();
  for (const chunk of listValue(response)) if (isRecord(chunk)) assembly.add(chunk);
  if (!assembly.hasAnswer) assembly.fail('The provider answered without any candidate.');
  return assembly.turn();
}
