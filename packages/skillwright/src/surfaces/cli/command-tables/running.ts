import { PROGRAM } from '../../../spec/program.ts';
import { defineCommand, type CommandDefinition, type OptionDefinitions } from '../command.ts';
import { SKILL } from './finding.ts';
import { WIRE_FORMATS } from '../../../spec/wire.ts';
import { SANDBOX_TIERS } from '../../../spec/sandbox.ts';

/** Options of the commands that run skills. */
const RUNNING_OPTIONS: OptionDefinitions = {
  sandbox: {
    type: 'string',
    value: 'tier',
    choices: SANDBOX_TIERS,
    description: `Run in this tier or not at all; ${PROGRAM} sandbox shows what each tier guarantees. Default: process for skills you trust, bubblewrap for the others.`,
  },
  timeout: {
    type: 'string',
    value: 'time',
    description: 'Time limit: seconds, or 500ms, 10s, 2m. Default 30s.',
  },
  env: {
    type: 'string',
    multiple: true,
    value: 'name[=value]',
    description: 'Pass on this environment variable, with its current value or a new one. May be repeated.',
  },
  'allow-net': { type: 'boolean', description: 'Allow network access in tiers that otherwise block it.' },
  workspace: {
    type: 'string',
    value: 'access',
    choices: ['none', 'read', 'write'],
    description: 'Access to this directory in tiers that hide files. Default none.',
  },
  record: { type: 'string', value: 'file', description: 'Add the run and its result to this JSONL file.' },
};

const MCP_OPTIONS: OptionDefinitions = {
  budget: {
    type: 'string',
    value: 'tokens',
    description: 'Size of the list of skills that the model is shown. Default 2000.',
  },
  'tool-per-skill': {
    type: 'boolean',
    description: 'Offer one tool per skill, which loads that skill, for clients that choose among tools.',
  },
  ...RUNNING_OPTIONS,
  sandbox: {
    type: 'string',
    value: 'tier',
    // A handler inside this process would print between the protocol's messages on standard output.
    choices: SANDBOX_TIERS.filter((tier) => tier !== 'inprocess'),
    description: `Run in this tier or not at all; ${PROGRAM} sandbox shows what each tier guarantees. Default: process for skills you trust, bubblewrap for the others.`,
  },
};

const CHAT_OPTIONS: OptionDefinitions = {
  model: {
    type: 'string',
    value: 'model',
    default: 'demo',
    description:
      'The model: demo, which follows rules and needs no key, or provider:model with openai, anthropic, gemini or openrouter.',
  },
  'base-url': {
    type: 'string',
    value: 'url',
    description:
      'URL of a model server, such as http://localhost:11434/v1. --model is then the name of the model on that server.',
  },
  format: {
    type: 'string',
    value: 'format',
    choices: WIRE_FORMATS,
    description: "API format of the model. Default: the provider's own; with --base-url, openai-chat.",
  },
  'api-key-env': {
    type: 'string',
    value: 'name',
    description:
      "The environment variable that holds the key. Default: the provider's own; with --base-url, no key is sent.",
  },
  skills: {
    type: 'string',
    multiple: true,
    value: 'path',
    description: 'The same as --dir: use only the skills in this directory, and trust them. May be repeated.',
  },
  system: { type: 'string', value: 'text', description: 'System prompt for the model, before the list of skills.' },
  'max-turns': {
    type: 'string',
    value: 'number',
    description: 'Maximum number of rounds of tool calls before the model must answer. Default 24.',
  },
  'no-stream': { type: 'boolean', description: 'Request complete answers instead of streams.' },
  trace: { type: 'string', value: 'file', description: 'Add a trace of the conversation to this JSONL file.' },
  ...RUNNING_OPTIONS,
};

/** Commands that use skills, and that show how they were used. */
export const RUNNING_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    name: 'invoke',
    summary: 'Print the text a model gets when it uses a skill.',
    description: [
      'Prints the instructions as a model would get them: the base directory, then the text with the arguments inserted. It runs nothing.',
      'Arguments are joined with spaces. An argument that contains spaces is quoted, so that the skill still sees one argument.',
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
      {
        command: `${PROGRAM} invoke code-review -- --staged`,
        description: 'with an argument that looks like an option',
      },
    ],
    unknownOptionHint: 'Arguments for the skill that start with a dash go after --.',
    load: () => import('../running/invoke.ts'),
  }),
  defineCommand({
    name: 'run',
    summary: 'Run a script of a skill.',
    description: [
      "Runs a script of a skill in the skill's directory and shows its output as it comes. The script gets standard input. With --workspace read or write it runs in the current directory instead.",
      'An untrusted skill runs from a copy in a sandbox, without access to your files, its own original files or the network.',
      'Exits with the exit code of the script, or with 124 if it took too long, 126 if it is not allowed to run, 127 if the script or a requirement is missing, and 130 after Ctrl-C.',
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
        description: 'with access to this directory',
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
    summary: 'Call a tool of a skill, or list all tools.',
    description: [
      'Calls a tool that a skill declares in its tools.json, checks the arguments first, and prints the result as JSON. Without a tool name, it lists every tool with its arguments.',
      "Arguments are name=value words, converted to the types of the tool's parameters, or one JSON object: on the command line, from standard input (-) or from a file (@file).",
      'Anything the tool prints goes to standard error. Exits with 1 if the call fails, 2 if the command line is invalid, 126 if the tool is not allowed to run, and 130 after Ctrl-C.',
    ],
    positionals: [
      { name: 'tool', description: 'Name of the tool, or skill__tool if several share it.' },
      { name: 'arguments', repeats: true, description: 'name=value, or a JSON object, -, or @file.' },
    ],
    options: RUNNING_OPTIONS,
    takesJson: true,
    examples: [
      { command: `${PROGRAM} call`, description: 'list all tools' },
      { command: `${PROGRAM} call weekday_of date=2026-12-24`, description: 'with an argument' },
      { command: `${PROGRAM} call count_words --json '{"text": "Hello, world."}'`, description: 'with a JSON object' },
      {
        command: `${PROGRAM} call csv_stats path=sales.csv --workspace read`,
        description: 'with access to this directory',
      },
    ],
    load: () => import('../running/call.ts'),
  }),
  defineCommand({
    name: 'chat',
    summary: 'Talk to a model that has your skills.',
    description: [
      'Starts a conversation with a model in this terminal. It shows the answers and tool calls as they come, and asks you before an untrusted skill runs anything. Type /help in a conversation to see all commands.',
      "Without --model it uses the built-in demo model, which needs no key and no network. The demo is rule-based, not a language model: it picks a skill and makes the calls that the skill's instructions show.",
      'With a message as an argument or on standard input, it answers once and exits. The answer goes to standard output and the tool calls to standard error; with --json every event is a line of JSON. Exits with 1 if the answer failed or is incomplete, and 130 after Ctrl-C.',
    ],
    positionals: [
      {
        name: 'message',
        repeats: true,
        description: 'The message; - reads it from standard input. Default: a conversation in the terminal.',
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
    name: 'mcp',
    summary: 'Give your skills to an MCP client, such as an editor or a desktop app.',
    description: [
      'Starts an MCP server on standard input and output. MCP clients start this command themselves: put it in the configuration of the client. It ends when the client does.',
      'The client gets the list of skills, tools to load them, to read their files and to run their scripts, and the tools of every tools.json. The skills in directories that you name here are trusted; the others need "trust".',
      'Scripts run in the directory of their skill, or with --workspace read or write in the directory that the client starts the server in. Standard output carries the protocol only; warnings go to standard error.',
    ],
    positionals: [
      {
        name: 'dirs',
        repeats: true,
        description: 'Directories with skills, the same as --dir. Default: the standard directories.',
      },
    ],
    options: MCP_OPTIONS,
    examples: [
      { command: `${PROGRAM} mcp ./skills`, description: 'the skills in one directory' },
      {
        command: `${PROGRAM} mcp ./skills --env GITHUB_TOKEN --allow-net`,
        description: 'with a secret and the network for their scripts',
      },
    ],
    load: () => import('../serving/mcp.ts'),
  }),
  defineCommand({
    name: 'trace',
    summary: 'Show what an agent did, step by step.',
    description: [
      'Shows the runs in a trace file as trees: every request to the model with its time and tokens, the tool calls and failures, the skill that gave guidance after a failed call, and why each skill was loaded.',
      'createTraceFile writes these files, one event per line. Rotated files next to the file are read, too. Lines that are not events are skipped and counted.',
    ],
    positionals: [{ name: 'file', required: true, description: 'The trace file (JSONL).' }],
    options: {
      run: { type: 'string', value: 'id', description: 'Only this run: its id or the start of its id.' },
      last: {
        type: 'string',
        value: 'number',
        description: 'Number of runs to show, counted from the last. Default 5; with --json all.',
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
