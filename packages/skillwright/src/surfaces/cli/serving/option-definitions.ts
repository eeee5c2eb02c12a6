import type { OptionDefinitions } from '../command.ts';

export const SERVING_OPTIONS: OptionDefinitions = {
  config: {
    type: 'string',
    value: 'file',
    description:
      'The configuration: JSON, or a TypeScript module with a default export. Default: skillwright.config.json here, if you trust this directory.',
  },
  host: { type: 'string', value: 'address', description: 'Where to listen. Default 127.0.0.1.' },
  port: { type: 'string', value: 'number', description: 'Which port to listen on; 0 for any. Default 4747.' },
  data: {
    type: 'string',
    value: 'directory',
    description: 'Where the gateway keeps its database. Default .skillwright.',
  },
};
