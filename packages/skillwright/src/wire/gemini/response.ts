import type { AssistantTurn } from '../../spec/wire.ts';
import { isRecord } from '../json/json-text.ts';
import { TurnAssembly } from './assembly.ts';
import { itemsOf } from './fields.ts';

/** A turn out of a response in one piece, or out of the list of chunks that a stream is without server-sent events. */
export function readResponse(response: unknown): AssistantTurn {
  const assembly = new TurnAssembly();
  for (const chunk of itemsOf(response)) if (isRecord(chunk)) assembly.add(chunk);
  if (!assembly.hasAnswer) assembly.fail('The provider answered without any candidate.');
  return assembly.turn();
}
