import {
  createScriptedModel,
  type ScriptedModel,
  type ScriptedTurn,
} from '../../packages/skillwright/src/testing/index.ts';
import { onTestFinished } from 'vitest';

/** Starts a scripted model for the running test, which closes it. */
export async function startModel(...script: ScriptedTurn[]): Promise<ScriptedModel> {
  const model = await createScriptedModel({ script });
  onTestFinished(() => model.close());
  return model;
}

/** A turn with everything that a model can say, in characters of one to four bytes. */
export const RICH_TURN: ScriptedTurn = {
  reasoning: 'Zwei Städte: beide nachschlagen. 🌦',
  text: 'Ich frage für beide Städte nach … 🌍',
  calls: [
    { name: 'weather', arguments: { city: 'Köln', days: 2 } },
    { name: 'weather', arguments: { city: '東京', days: 1 } },
  ],
  usage: { input: 120, output: 45, cachedInput: 20, reasoning: 15 },
};

interface WeatherTool {
  readonly name: string;
  readonly description: string;
  readonly schema: { type: 'object'; properties: Record<string, { type: string }>; required: string[] };
}

export const WEATHER: WeatherTool = {
  name: 'weather',
  description: 'The weather of a city.',
  schema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' } },
    required: ['city'],
  },
};
