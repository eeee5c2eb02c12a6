import type { AgentTool, ModelClientOptions } from '../../packages/skillwright/src/index.ts';
import type { WireFormatName } from '../../packages/skillwright/src/spec/wire.ts';
import {
  createScriptedModel,
  type ScriptedModel,
  type ScriptedModelOptions,
} from '../../packages/skillwright/src/testing/index.ts';

/** Resources that a test opened, closed at its end even if it fails. */
export interface OpenThings {
  scripted(options: ScriptedModelOptions | ScriptedModelOptions['script']): Promise<ScriptedModel>;
  keep<T extends { close(): Promise<unknown> }>(thing: T): T;
  closeAll(): Promise<void>;
}

export function openThings(): OpenThings {
  const open: { close(): Promise<unknown> }[] = [];
  const keep = <T extends { close(): Promise<unknown> }>(thing: T): T => {
    open.push(thing);
    return thing;
  };
  return {
    keep,
    async scripted(options = []) {
      const given = 'script' in options || 'respond' in options ? options : { script: options as never };
      return keep(await createScriptedModel(given));
    },
    async closeAll() {
      for (const thing of open.splice(0)) await thing.close();
    },
  };
}

/** How a program connects to a scripted model in a format. */
export function modelOf(model: ScriptedModel, format: WireFormatName): ModelClientOptions {
  return { format, model: 'any', apiKey: 'key', baseUrl: model.baseUrl(format) };
}

export const ADD: AgentTool = {
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
  execute: ({ a, b }) => Number(a) + Number(b),
};

/** A tool without parameters. */
export function toolOf(name: string, execute: AgentTool['execute']): AgentTool {
  return { name, description: `Does ${name}.`, inputSchema: { type: 'object', properties: {} }, execute };
}
