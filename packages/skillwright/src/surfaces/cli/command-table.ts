import { defineCommand, type CommandDefinition } from './command.ts';
import { CHAT_OPTIONS } from './chat/option-definitions.ts';
import { RANKER_OPTION } from './choosing/option-definitions.ts';
import { RUNNING_OPTIONS } from './running/option-definitions.ts';
import { SERVING_OPTIONS } from './serving/option-definitions.ts';

const SKILL = {
  name: 'skill',
  required: true,
  description: 'Name of the skill, qualified (plugin:skill, group:skill, source/skill) where several share it.',
} as const;

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    name: 'list',
    summary: 'List the skills that are found here.',
    description: ['Lists every skill that can be reached by its plain name, highest precedence first.'],
    positionals: [],
    options: {
      source: {
        type: 'string',
        value: 'kind',
        choices: ['project', 'anthropic', 'agents', 'opencode', 'plugin', 'additional', 'personal'],
        description: 'Only skills from this kind of place.',
      },
      keyword: {
        type: 'string',
        value: 'words',
        description: 'Only skills with all of these words in their name, description or tags.',
      },
      tools: { type: 'boolean', description: 'Show the tools of each skill, too.' },
    },
    examples: [
      { command: 'skillwright list', description: 'the skills of this project and your own' },
      { command: 'skillwright list --keyword "csv statistics"', description: 'those that mention both words' },
      { command: 'skillwright list --dir ./vendor/skills --json', description: 'one directory, for a script' },
    ],
    load: () => import('./commands/list.ts'),
  }),
  defineCommand({
    name: 'show',
    summary: 'Show everything about one skill.',
    description: ['Shows the fields, tools, files and problems of a skill, and which others it hides or is hidden by.'],
    positionals: [SKILL],
    options: {
      body: { type: 'boolean', description: 'Print the instructions, too.' },
      files: { type: 'boolean', description: 'List every bundled file, however many there are.' },
    },
    examples: [
      { command: 'skillwright show word-count', description: 'all there is to know' },
      {
        command: 'skillwright show word-count --body --json',
        description: 'the same with the instructions, for a script',
      },
    ],
    load: () => import('./commands/show.ts'),
  }),
  defineCommand({
    name: 'validate',
    summary: 'Check skills against the written specification.',
    description: [
      'Reads skills strictly: what other commands repair or overlook is an error here if it breaks the Agent Skills specification.',
      'Exits with 1 if there is an error, more warnings than allowed, or no skill at all.',
    ],
    positionals: [
      {
        name: 'path',
        repeats: true,
        description: 'Skills, directories of skills, plugins, or SKILL.md files. Default: the standard places.',
      },
    ],
    options: {
      format: {
        type: 'string',
        value: 'format',
        choices: ['text', 'json', 'sarif', 'github'],
        description: 'How to report. Default text; --json is the same as --format json.',
      },
      'max-warnings': { type: 'string', value: 'number', description: 'Fail when there are more warnings than this.' },
    },
    examples: [
      { command: 'skillwright validate --no-user', description: 'every skill of this project' },
      { command: 'skillwright validate skills/word-count/SKILL.md', description: 'one skill' },
      { command: 'skillwright validate --format github --max-warnings 0', description: 'in a GitHub workflow' },
      { command: 'skillwright validate --format sarif > skills.sarif', description: 'for a code scanner' },
    ],
    load: () => import('./commands/validate.ts'),
  }),
  defineCommand({
    name: 'match',
    summary: 'Find out which skills fit a task, and why.',
    description: [
      'Ranks the skills for a task as a host does that picks skills for a model, and says with how much confidence, by which words and by which rules. Skills that a model is not offered here are left out, with the reason: their mode, disable-model-invocation, what they require, their paths, their triggers.',
      'Nothing is run, and no model is asked.',
    ],
    positionals: [
      {
        name: 'task',
        required: true,
        repeats: true,
        description: 'What somebody could ask for; - reads it from standard input.',
      },
    ],
    options: {
      ranker: RANKER_OPTION,
      limit: { type: 'string', value: 'number', description: 'How many skills at most. Default 5.' },
      file: {
        type: 'string',
        multiple: true,
        value: 'path',
        description: 'A file that the task is about, for skills with paths. May be repeated.',
      },
      all: { type: 'boolean', description: 'Also show skills that are not chosen, and all that are left out.' },
    },
    examples: [
      { command: 'skillwright match "how many words are in this essay"', description: 'ranked, with reasons' },
      { command: 'skillwright match "book a flight" --all', description: 'with those that do not fit' },
      { command: 'skillwright match - --json < task.txt', description: 'from standard input, for a script' },
    ],
    load: () => import('./commands/match.ts'),
  }),
  defineCommand({
    name: 'eval',
    summary: 'Check that tasks find the skills they are for.',
    description: [
      'Runs the trigger sets of skills: JSON files in evals/ with queries that should and should not trigger the skill. Every query is ranked over all the skills found. Reports how many find their skill first and among the first five, which find one they should not, which skills take the queries of others, and which words to change.',
      'Exits with 1 if too few queries find their skill, too many find one they should not, or a set cannot be read.',
    ],
    positionals: [
      {
        name: 'path',
        repeats: true,
        description:
          'Skills or directories of skills whose sets are run, or sets (.json). Default: every skill that is found.',
      },
    ],
    options: {
      ranker: RANKER_OPTION,
      threshold: {
        type: 'string',
        value: 'share',
        description: 'The share of all queries that must find their skill among the first five. Default 0.9.',
      },
      'skill-threshold': {
        type: 'string',
        value: 'share',
        description: 'The same for the queries of each skill by itself. Default 0.7.',
      },
      'max-false-positives': {
        type: 'string',
        value: 'share',
        description:
          'The share of the queries that should not trigger a skill which may find it first, and with a confidence of half or more. Default 0.25.',
      },
      format: {
        type: 'string',
        value: 'format',
        choices: ['text', 'json'],
        description: 'How to report. Default text; --json is the same as --format json.',
      },
    },
    examples: [
      { command: 'skillwright eval', description: 'every skill with a trigger set' },
      { command: 'skillwright eval skills/word-count --dir skills', description: 'one skill, against all of them' },
      { command: 'skillwright eval skills --threshold 0.95 --json', description: 'for a script' },
    ],
    load: () => import('./commands/eval.ts'),
  }),
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
      { command: 'skillwright invoke code-review main...feature', description: 'with an argument' },
      { command: 'skillwright invoke code-review -- --staged', description: 'with one that looks like an option' },
    ],
    unknownOptionHint: 'Arguments for the skill that start with a dash go after --.',
    load: () => import('./commands/invoke.ts'),
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
      { command: 'skillwright run calendar-calculator scripts/today.sh', description: 'a script, sandboxed' },
      {
        command: 'skillwright run text-diff scripts/diff.mjs --workspace read -- --context 1 old.txt new.txt',
        description: 'with files of this directory',
      },
      {
        command: 'skillwright run release scripts/publish.sh --env NPM_TOKEN --allow-net --timeout 5m',
        description: 'with a secret and the network',
      },
    ],
    unknownOptionHint: 'Arguments for the script that start with a dash go after --.',
    load: () => import('./commands/run.ts'),
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
      { command: 'skillwright call', description: 'what there is to call' },
      { command: 'skillwright call weekday_of date=2026-12-24', description: 'with an argument' },
      { command: `skillwright call count_words --json '{"text": "Hello, world."}'`, description: 'with a JSON object' },
      {
        command: 'skillwright call csv_stats path=sales.csv --workspace read',
        description: 'with a file of this directory',
      },
    ],
    load: () => import('./commands/call.ts'),
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
      { command: 'skillwright chat', description: 'a conversation with the demo, with the skills found here' },
      {
        command: 'skillwright chat --model openrouter:anthropic/claude-sonnet-5 --skills ./skills',
        description: 'with a real model, whose key is in OPENROUTER_API_KEY',
      },
      {
        command: 'skillwright chat --model llama3.2:3b --base-url http://localhost:11434/v1',
        description: 'with a model on this machine',
      },
      {
        command: 'skillwright chat "How many words has this text?" - --json < essay.txt',
        description: 'one answer, for a script',
      },
    ],
    load: () => import('./commands/chat.ts'),
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
      { command: 'skillwright trace traces.jsonl', description: 'the last runs' },
      { command: 'skillwright trace traces.jsonl --run 4f1c', description: 'one run' },
      { command: 'skillwright trace traces.jsonl --last 1 --json', description: 'the last run, for a script' },
    ],
    load: () => import('./commands/trace.ts'),
  }),
  defineCommand({
    name: 'serve',
    summary: 'Run the gateway.',
    description: [
      'Runs the gateway of the package @skillwright/gateway until Ctrl-C, and prints its address. The first start also prints an admin token, once. The log goes to standard error, a line of JSON an event.',
      'On any but a loopback address it starts only when there are API keys.',
    ],
    positionals: [],
    options: SERVING_OPTIONS,
    examples: [
      { command: 'skillwright serve', description: 'on this machine' },
      { command: 'skillwright serve --config gateway.json --port 8080', description: 'as configured, on another port' },
    ],
    load: () => import('./commands/serve.ts'),
  }),
  defineCommand({
    name: 'sandbox',
    summary: 'Show how skills can be kept from the rest of this machine.',
    description: [
      'Shows every tier that scripts and tools can run in: whether this machine has it, what it promises and what it does not, and how to get it.',
    ],
    positionals: [],
    options: {},
    examples: [{ command: 'skillwright sandbox', description: 'the tiers, weakest first' }],
    load: () => import('./commands/sandbox.ts'),
  }),
  defineCommand({
    name: 'doctor',
    summary: 'Find out why a skill is missing or does not work.',
    description: [
      'Says where skills were looked for and what was found, which skills are hidden by others and how to reach them, which were refused, what is wrong and how to put it right, what skills need that this machine does not have or that --env must pass on, and whether those that are not trusted can be run here.',
      'Exits with 1 if anything is an error.',
    ],
    positionals: [],
    options: {},
    examples: [
      { command: 'skillwright doctor', description: 'this project and your own skills' },
      { command: 'skillwright doctor --strict', description: 'by the letter of the specification' },
    ],
    load: () => import('./commands/doctor.ts'),
  }),
  defineCommand({
    name: 'trust',
    summary: 'Say which directories of skills you trust.',
    description: [
      'Records that you trust the skills in a directory and below it, and shows which these are. Skills that commands find by themselves are untrusted until then; those named with --dir are trusted.',
      'The record is a file in your own configuration, never in a project. It holds real paths: a directory that is moved, or replaced by a link, is not trusted any more.',
    ],
    positionals: [
      {
        name: 'path',
        description: 'A directory, or a SKILL.md for the one it lies in. Default: the working directory.',
      },
    ],
    options: {
      block: { type: 'boolean', description: 'Block it instead: skills in it never load.' },
      remove: { type: 'boolean', description: 'Take back what is recorded of it.' },
      list: { type: 'boolean', description: 'Show everything that is recorded.' },
    },
    examples: [
      { command: 'skillwright trust .claude/skills', description: 'the skills of this project' },
      { command: 'skillwright trust --block vendor/skills', description: 'skills that never load' },
      { command: 'skillwright trust --list', description: 'what is recorded' },
    ],
    load: () => import('./commands/trust.ts'),
  }),
  defineCommand({
    name: 'tour',
    summary: 'See in a minute what skills are and what this program does.',
    description: ['A short guided tour over sample skills, with the real output of the real commands.'],
    positionals: [],
    options: { 'no-pause': { type: 'boolean', description: 'Do not wait for Enter between the steps.' } },
    examples: [{ command: 'skillwright tour', description: 'start here' }],
    load: () => import('./commands/tour.ts'),
  }),
];
