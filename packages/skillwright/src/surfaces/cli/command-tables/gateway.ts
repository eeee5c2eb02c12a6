import { PROGRAM } from '../../../spec/program.ts';
import { defineCommand, type CommandDefinition, type OptionDefinitions } from '../command.ts';

/** Which gateway a command is about. */
const GATEWAY_OPTIONS: OptionDefinitions = {
  url: {
    type: 'string',
    value: 'address',
    description: 'The address of the gateway. Default: SKILLWRIGHT_URL, or http://127.0.0.1:4747.',
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

const PAGE_OPTIONS: OptionDefinitions = {
  limit: { type: 'string', value: 'number', description: 'How many at most.' },
  page: { type: 'string', value: 'number', description: 'Which page of them, from 1.' },
};

const SERVING_OPTIONS: OptionDefinitions = {
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

/** Not required: without one, the command lists its actions. */
const ACTION = { name: 'action' } as const;
const WORDS = { name: 'words', repeats: true } as const;

const STATUS = {
  type: 'string',
  value: 'status',
  choices: ['pending', 'running', 'success', 'error', 'timeout', 'cancelled'],
  description: 'Only executions that are in this state.',
} as const;
const KEY = {
  type: 'string',
  value: 'key',
  description: 'list: only of this key. run: on behalf of this key. Its id, the start of it, or its name.',
} as const;
const SKILL_NAME = { type: 'string', value: 'name', description: 'Only executions of this skill.' } as const;

/** The gateway, and commands for one that runs or its data directory. */
export const GATEWAY_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    name: 'serve',
    summary: 'Run the gateway.',
    description: [
      'Runs the gateway of the package @skillwright/gateway until Ctrl-C, and prints its address. The first start also prints an admin key and a key for an app, once. The log goes to standard error: text in a terminal, otherwise a line of JSON for each event.',
      'On any but a loopback address it starts only when there are API keys.',
    ],
    positionals: [],
    options: SERVING_OPTIONS,
    examples: [
      { command: `${PROGRAM} serve`, description: 'on this machine' },
      { command: `${PROGRAM} serve --config gateway.json --port 8080`, description: 'as configured, on another port' },
    ],
    load: () => import('../serving/serve.ts'),
  }),
  defineCommand({
    name: 'skills',
    summary: 'Manage the skills of a gateway.',
    description: [
      'list, show, enable, disable, set, remove, install and match. A skill is named by its name, name@version, or its id or the start of it.',
      'set takes name=value: mode (on, off, auto), policy (auto, manual, hybrid), tags (a,b), timeoutMs and retries (a number); default goes back to what the skill says itself. install takes a JSON file, or - for standard input.',
    ],
    positionals: [
      { ...ACTION, description: 'list, show, enable, disable, set, remove, install or match.' },
      { ...WORDS, description: 'What it is about: a skill, settings, a file, or a text.' },
    ],
    options: {
      query: { type: 'string', value: 'words', description: 'list: only with this in the name, description or tags.' },
      mode: { type: 'string', value: 'mode', choices: ['on', 'off', 'auto'], description: 'list: only of this mode.' },
      source: {
        type: 'string',
        value: 'source',
        description: 'list: only from this source, such as local or builtin.',
      },
      ...PAGE_OPTIONS,
      ...GATEWAY_OPTIONS,
    },
    examples: [
      { command: `${PROGRAM} skills list --mode auto`, description: 'those that are shown where they fit' },
      {
        command: `${PROGRAM} skills set word-count mode=on policy=hybrid`,
        description: 'always there, with approval',
      },
      { command: `${PROGRAM} skills install reverse-text.json`, description: 'a skill that a handler runs' },
      { command: `${PROGRAM} skills list --data .skillwright`, description: 'while the gateway does not run' },
    ],
    load: () => import('../gateway/skills/skills.ts'),
  }),
  defineCommand({
    name: 'executions',
    summary: 'See and run what skills of a gateway do.',
    description: [
      'list, show, run, cancel and watch. An execution is named by its id or the start of it. run takes a skill and its input: name=value words, a JSON object, @file, or - for standard input; for a skill with scripts, script=… and args=…, or tool=… and arguments=….',
      'What it prints on the way goes to standard error, its answer to standard output. Ctrl-C cancels what run started. Exits with 1 if the execution fails.',
    ],
    positionals: [
      { ...ACTION, description: 'list, show, run, cancel or watch.' },
      { ...WORDS, description: 'An execution, or a skill and its input.' },
    ],
    options: {
      status: STATUS,
      skill: SKILL_NAME,
      key: KEY,
      session: { type: 'string', value: 'id', description: 'run: the conversation it belongs to.' },
      ...PAGE_OPTIONS,
      ...GATEWAY_OPTIONS,
    },
    examples: [
      { command: `${PROGRAM} executions list --status error`, description: 'what went wrong' },
      { command: `${PROGRAM} executions run reverse-text text=hello`, description: 'a handler' },
      {
        command: `${PROGRAM} executions run calendar-calculator script=scripts/today.sh`,
        description: 'a script of a skill',
      },
    ],
    load: () => import('../gateway/executions/executions.ts'),
  }),
  defineCommand({
    name: 'keys',
    summary: 'Manage the keys of a gateway.',
    description: [
      'list, create and revoke. create shows the key itself, once; it can have no scope that the key of this command lacks.',
      'revoke takes the id of a key, the start of it, or its name.',
    ],
    positionals: [
      { ...ACTION, description: 'list, create or revoke.' },
      { name: 'word', description: 'The name of a new key, or a key.' },
    ],
    options: {
      scopes: {
        type: 'string',
        value: 'list',
        description: 'create: what it may do, of proxy, execute and manage, with commas. Default proxy.',
      },
      'expires-in-days': {
        type: 'string',
        value: 'number',
        description: 'create: how long it is good. Default: for ever.',
      },
      'requests-per-minute': {
        type: 'string',
        value: 'number',
        description: 'create: how many requests a minute it may send. Default: as the gateway is configured.',
      },
      'concurrent-requests': {
        type: 'string',
        value: 'number',
        description: 'create: how many it may have under way. Default: as the gateway is configured.',
      },
      ...PAGE_OPTIONS,
      ...GATEWAY_OPTIONS,
    },
    examples: [
      { command: `${PROGRAM} keys create my-app --scopes proxy,execute`, description: 'a key for a program' },
      { command: `${PROGRAM} keys revoke my-app`, description: 'by its name' },
      {
        command: `${PROGRAM} keys create admin --scopes manage,execute,proxy --data .skillwright`,
        description: 'where the admin token is lost, while the gateway does not run',
      },
    ],
    load: () => import('../gateway/keys.ts'),
  }),
  defineCommand({
    name: 'approvals',
    summary: 'Allow or deny what models ask for.',
    description: [
      'list, show, allow, deny and withdraw. Skills with the policy hybrid ask a person first; the answer is for this call (once), for the conversation, or always. withdraw takes a question or its answer back.',
      'An approval is named by its id or the start of it.',
    ],
    positionals: [
      { ...ACTION, description: 'list, show, allow, deny or withdraw.' },
      { name: 'id', description: 'Which one.' },
    ],
    options: {
      status: {
        type: 'string',
        value: 'status',
        choices: ['pending', 'allowed', 'denied', 'expired'],
        description: 'list: only those in this state.',
      },
      scope: {
        type: 'string',
        value: 'scope',
        choices: ['once', 'conversation', 'always'],
        description: 'allow and deny: how long the answer holds. Default once.',
      },
      ...PAGE_OPTIONS,
      ...GATEWAY_OPTIONS,
    },
    examples: [
      { command: `${PROGRAM} approvals list --status pending`, description: 'what waits' },
      { command: `${PROGRAM} approvals allow 5d0f6c9e`, description: 'this one call' },
      { command: `${PROGRAM} approvals deny 5d0f6c9e --scope always`, description: 'never' },
    ],
    load: () => import('../gateway/approvals.ts'),
  }),
  defineCommand({
    name: 'settings',
    summary: 'Show and change the settings of a gateway.',
    description: [
      'Without words it shows them all. name=value changes one, at once: skillsEnabled (the master switch), customSkillExecutionEnabled and traceContent, each true or false.',
    ],
    positionals: [{ name: 'name=value', repeats: true, description: 'What to change.' }],
    options: GATEWAY_OPTIONS,
    examples: [
      { command: `${PROGRAM} settings`, description: 'as they are' },
      { command: `${PROGRAM} settings skillsEnabled=false`, description: 'no skill is shown or run' },
    ],
    load: () => import('../gateway/settings.ts'),
  }),
  defineCommand({
    name: 'audit',
    summary: 'Show who changed what of a gateway.',
    description: ['Shows what was changed over REST or by this program, the newest first, and by which key.'],
    positionals: [],
    options: {
      action: { type: 'string', value: 'action', description: 'Only this, such as skill.update or key.create.' },
      target: { type: 'string', value: 'id', description: 'Only changes of this skill, key, approval or execution.' },
      key: { type: 'string', value: 'key', description: 'Only by this key: its id, the start of it, or its name.' },
      ...PAGE_OPTIONS,
      ...GATEWAY_OPTIONS,
    },
    examples: [
      { command: `${PROGRAM} audit --limit 20`, description: 'the last changes' },
      { command: `${PROGRAM} audit --action key.create --json`, description: 'new keys, for a script' },
    ],
    load: () => import('../gateway/audit.ts'),
  }),
  defineCommand({
    name: 'logs',
    summary: 'Show what skills of a gateway did last, and follow it.',
    description: [
      'Shows the newest executions of a gateway, a line each, the oldest first. With --follow it goes on until Ctrl-C; with --json every line is an execution.',
      'The log of requests is what the gateway writes to standard error.',
    ],
    positionals: [],
    options: {
      follow: { type: 'boolean', short: 'f', description: 'Go on with those that come.' },
      status: STATUS,
      skill: SKILL_NAME,
      limit: { type: 'string', value: 'number', description: 'How many to begin with. Default 20.' },
      ...GATEWAY_OPTIONS,
    },
    examples: [
      { command: `${PROGRAM} logs -f`, description: 'what happens now' },
      { command: `${PROGRAM} logs --status error --json`, description: 'what went wrong, for a script' },
    ],
    load: () => import('../gateway/logs.ts'),
  }),
];
