import type { HandlerSkill } from '../../../../packages/gateway/src/executions/handlers/handlers.ts';

/** A skill that is a function: it repeats its input, and fails on demand. */
export const ECHO_HANDLER: HandlerSkill = {
  name: 'echo',
  description: 'Says again what it is told.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  mode: 'on',
  execute: async (input) => {
    const { text } = input as { readonly text: string };
    if (text === 'fail') throw new RangeError('The echo is lost.');
    return `echo of ${text}`;
  },
};
