import { WIRE_FORMATS } from '../../../spec/wire.ts';
import type { OptionDefinitions } from '../command.ts';
import { RUNNING_OPTIONS } from '../running/option-definitions.ts';

export const CHAT_OPTIONS: OptionDefinitions = {
  model: {
    type: 'string',
    value: 'model',
    default: 'demo',
    description:
      'Whom to talk to: demo, which follows rules and needs no key, or provider:model with openai, anthropic, gemini or openrouter.',
  },
  'base-url': {
    type: 'string',
    value: 'url',
    description: 'Where the model is, such as http://localhost:11434/v1. --model is then the name it has there.',
  },
  format: {
    type: 'string',
    value: 'format',
    choices: WIRE_FORMATS,
    description: "How the model is spoken to. Default: the provider's own; with --base-url openai-chat.",
  },
  'api-key-env': {
    type: 'string',
    value: 'name',
    description:
      'The environment variable that holds the key. Default: that of the provider; with --base-url no key is sent.',
  },
  skills: {
    type: 'string',
    multiple: true,
    value: 'path',
    description: 'The same as --dir: look only here, and trust what is found. May be repeated.',
  },
  system: { type: 'string', value: 'text', description: 'What the model is told to be, before the list of skills.' },
  'max-turns': {
    type: 'string',
    value: 'number',
    description: 'How often in a row the model may call tools before it must answer. Default 24.',
  },
  'no-stream': { type: 'boolean', description: 'Ask for whole answers instead of streams.' },
  trace: { type: 'string', value: 'file', description: 'Add what happens in the conversation to this JSONL file.' },
  ...RUNNING_OPTIONS,
};
