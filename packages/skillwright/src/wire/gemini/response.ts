import type { AssistantTurn } from '../../spec/wire.ts';
import { isRecord } from '../json/json-text.ts';
import { TurnAssembly } from './assembly.ts';
import { itemsOf } from './fields.ts';

/** The turn in a whole response, or in the list of chunks of a stream without server-sent events. */
export function readResponse(response: unknown): AssistantTurn {
  const assembly = new TurnAssembly();
  for (const chunk of itemsOf(response)) if (isRecord(chunk)) assembly.add(chunk);
  if (!assembly.hasAnswer) assembly.fail('The provider answered without any candidate.');
  return assembly.turn();
}
