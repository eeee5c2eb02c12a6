import type { OptionDefinitions } from '../command.ts';

/** Which gateway a command is about. */
export const GATEWAY_OPTIONS: OptionDefinitions = {
  url: {
    type: 'string',
    value: 'address',
    description: 'Of the gateway. Default: SKILLWRIGHT_URL, or http://127.0.0.1:4747.',
  },
  token: {
    type: 'string',
    value: 'key',
    description:
      'A key of the gateway. Default: SKILLWRIGHT_TOKEN, which other users of this machine cannot see in a list of processes.',
  },
  data: {
    type: 'string',
    value: 'directory',
    description: 'The data directory of a gateway that does not run, in place of --url. No key is needed.',
  },
  config: {
    type: 'string',
    value: 'file',
    description: 'With --data: the configuration of the gateway, as for serve.',
  },
};

export const PAGE_OPTIONS: OptionDefinitions = {
  limit: { type: 'string', value: 'number', description: 'How many at most.' },
  page: { type: 'string', value: 'number', description: 'Which page of them, from 1.' },
};
