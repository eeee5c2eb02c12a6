import { PROGRAM } from '../../../spec/program.ts';
import { SANDBOX_TIERS } from '../../../spec/sandbox.ts';
import type { OptionDefinitions } from '../command.ts';

/** Options of the commands that run something. */
export const RUNNING_OPTIONS: OptionDefinitions = {
  sandbox: {
    type: 'string',
    value: 'tier',
    choices: SANDBOX_TIERS,
    description: `Run in this tier or not at all; ${PROGRAM} sandbox shows what each promises. Default: process for skills you trust, bubblewrap for the others.`,
  },
  timeout: {
    type: 'string',
    value: 'time',
    description: 'How long it may take: seconds, or 500ms, 10s, 2m. Default 30s.',
  },
  env: {
    type: 'string',
    multiple: true,
    value: 'name[=value]',
    description: 'Give it this environment variable: its value here, or another one. May be repeated.',
  },
  'allow-net': { type: 'boolean', description: 'Let it use the network, in tiers that otherwise keep it from it.' },
  workspace: {
    type: 'string',
    value: 'access',
    choices: ['none', 'read', 'write'],
    description: 'What it may do with this directory, in tiers that hide files. Default none.',
  },
  record: { type: 'string', value: 'file', description: 'Add what was run, and what came of it, to this JSONL file.' },
};
