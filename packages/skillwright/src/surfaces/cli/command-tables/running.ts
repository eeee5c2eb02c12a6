import { PROGRAM } from '../../../spec/program.ts';
import { defineCommand, type CommandDefinition, type OptionDefinitions } from '../command.ts';
import { SKILL } from './finding.ts';
import { WIRE_FORMATS } from '../../../spec/wire.ts';
import { SANDBOX_TIERS } from '../../../spec/sandbox.ts';

/** Options of the commands that run something. */
const RUNNING_OPTIONS: OptionDefinitions = {
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

const CHAT_OPTIONS: OptionDefinitions = {
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

/** Commands that use skills, and what shows how they were used. */
export const RUNNING_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    name: 'invoke',
    summary: 'Print the text a model gets when it uses a skill.',
    description: [
      'Prints the instructions as a model would get them: the base directory, then the text with the arguments put in. Nothing is run.',
      'Arguments are joined with spaces; one that holds spaces is put in quotes, so that the skill still sees one word.',
    ],
    positionals: [
      SKILL,
      {
        name: 'args',
        repeats: true,
        description: 'Arguments for the skill. Put -- before those that start with a dash.',
      },
    ],
    options: {},
    examples: [
      { command: `${PROGRAM} invoke code-review main...feature`, description: 'with an argument' },
      { command: `${PROGRAM} invoke code-review -- --staged`, description: 'with one that looks like an option' },
    ],
    unknownOptionHint: 'Arguments for the skill that start with a dash go after --.',
    load: () => import('../running/invoke.ts'),
  }),
  defineCommand({
    name: 'run',
    summary: 'Run a script of a skill.',
    description: [
      "Runs a script that a skill bundles, in the skill's directory, and shows what it prints as it comes. What is piped in is passed on. With --workspace read or write it runs in this directory instead.",
      'A skill that you do not trust runs in a sandbox, from a copy; its files, your files and the network are out of its reach.',
      'Exits as the script does. Otherwise with 124 when it took too long, 126 when it may not run, 127 when it or something it needs is not there, 130 after Ctrl-C.',
    ],
    positionals: [
      SKILL,
      { name: 'script', required: true, description: 'Path of the script in the skill, such as scripts/count.mjs.' },
      {
        name: 'args',
        repeats: true,
        description: 'Arguments for the script. Put -- before those that start with a dash.',
      },
    ],
    options: RUNNING_OPTIONS,
    examples: [
      { command: `${PROGRAM} run calendar-calculator scripts/today.sh`, description: 'a script, sandboxed' },
      {
        command: `${PROGRAM} run text-diff scripts/diff.mjs --workspace read -- --context 1 old.txt new.txt`,
        description: 'with files of this directory',
      },
      {
        command: `${PROGRAM} run release scripts/publish.sh --env NPM_TOKEN --allow-net --timeout 5m`,
        description: 'with a secret and the network',
      },
    ],
    unknownOptionHint: 'Arguments for the script that start with a dash go after --.',
    load: () => import('../running/run.ts'),
  }),
  defineCommand({
    name: 'call',
    summary: 'Call a tool of a skill, or list the tools there are.',
    description: [
      'Calls a tool that a skill declares in its tools.json and prints the answer as JSON. Arguments are checked first. Without a tool, lists every tool with its arguments.',
      "Arguments are name=value, converted as the tool's parameters say, or one JSON object: on the command line, from standard input (-) or from a file (@file).",
      'What the tool itself prints goes to standard error. Exits with 1 if the call fails, 2 if the words make no sense, 126 if it may not run, 130 after Ctrl-C.',
    ],
    positionals: [
      { name: 'tool', description: 'Name of the tool, or skill__tool where several share it.' },
      { name: 'arguments', repeats: true, description: 'name=value, or a JSON object, -, or @file.' },
    ],
    options: RUNNING_OPTIONS,
    takesJson: true,
    examples: [
      { command: `${PROGRAM} call`, description: 'what there is to call' },
      { command: `${PROGRAM} call weekday_of date=2026-12-24`, description: 'with an argument' },
      { command: `${PROGRAM} call count_words --json '{"text": "Hello, world."}'`, description: 'with a JSON object' },
      {
        command: `${PROGRAM} call csv_stats path=sales.csv --workspace read`,
        description: 'with a file of this directory',
      },
    ],
    load: () => import('../running/call.ts'),
  }),
  defineCommand({
    name: 'chat',
    summary: 'Talk to a model that has your skills.',
    description: [
      'Talks with a model in this terminal: its answers as they come, the tools it calls, and a question to you before anything runs that is not trusted. /help in a conversation says what else can be typed.',
      'Without --model it is a demo that needs no key and no network. It is not a language model: it follows rules that pick a skill and make the calls its instructions show.',
      'With a message, or with one on standard input, it answers once and ends: the answer on standard output, what was done on the way on standard error; with --json every event as a line of JSON. Exits with 1 if the answer did not come to a good end, 130 after Ctrl-C.',
    ],
    positionals: [
      {
        name: 'message',
        repeats: true,
        description: 'What to say, once. - stands for standard input. Default: a conversation in the terminal.',
      },
    ],
    options: CHAT_OPTIONS,
    examples: [
      { command: `${PROGRAM} chat`, description: 'a conversation with the demo, with the skills found here' },
      {
        command: `${PROGRAM} chat --model openrouter:anthropic/claude-sonnet-5.5 --skills ./skills`,
        description: 'with a real model, whose key is in OPENROUTER_API_KEY',
      },
      {
        command: `${PROGRAM} chat --model llama3.2:3b --base-url http://localhost:11434/v1`,
        description: 'with a model on this machine',
      },
      {
        command: `${PROGRAM} chat "How many words has this text?" - --json < essay.txt`,
        description: 'one answer, for a script',
      },
    ],
    load: () => import('../chat/chat.ts'),
  }),
  defineCommand({
    name: 'trace',
    summary: 'Show what an agent did, step by step.',
    description: [
      'Shows the runs of an agent from a file of traces as trees: every request to the model with its time and tokens, the tools it called, what failed and which skill helped, and which skills came into the conversation and why.',
      'Files are written with createTraceFile, one event a line. Full files that were moved beside it are read too. Lines that are no events are passed over and counted.',
    ],
    positionals: [{ name: 'file', required: true, description: 'The file of traces (JSONL).' }],
    options: {
      run: { type: 'string', value: 'id', description: 'Only this run, by its id or how that begins.' },
      last: {
        type: 'string',
        value: 'number',
        description: 'Only the last runs, as many as this. Default 5; with --json all.',
      },
    },
    examples: [
      { command: `${PROGRAM} trace traces.jsonl`, description: 'the last runs' },
      { command: `${PROGRAM} trace traces.jsonl --run 4f1c`, description: 'one run' },
      { command: `${PROGRAM} trace traces.jsonl --last 1 --json`, description: 'the last run, for a script' },
    ],
    load: () => import('../tracing/trace.ts'),
  }),
];
