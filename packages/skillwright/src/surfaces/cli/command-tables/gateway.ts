import { PROGRAM } from '../../../spec/program.ts';
import { defineCommand, type CommandDefinition, type OptionDefinitions } from '../command.ts';

/** Options that choose the gateway. */
const GATEWAY_OPTIONS: OptionDefinitions = {
  url: {
    type: 'string',
    value: 'address',
    description: 'URL of the gateway. Default: SKILLWRIGHT_URL, or http://127.0.0.1:4747.',
  },
  token: {
    type: 'string',
    value: 'key',
    description:
      'A key of the gateway. Default: SKILLWRIGHT_TOKEN, which is safer, because other users can see options in the process list.',
  },
  data: {
    type: 'string',
    value: 'directory',
    description: 'The data directory of a stopped gateway, instead of --url. This needs no key.',
  },
  config: {
    type: 'string',
    value: 'file',
    description: 'With --data: the configuration of the gateway, as for serve.',
  },
};

const PAGE_OPTIONS: OptionDefinitions = {
  limit: { type: 'string', value: 'number', description: 'Rows per page.' },
  page: { type: 'string', value: 'number', description: 'Page to show, starting with 1.' },
};

const SERVING_OPTIONS: OptionDefinitions = {
  config: {
    type: 'string',
    value: 'file',
    description:
      'The configuration: JSON, or a TypeScript module with a default export. Default: skillwright.config.json here, if you trust this directory.',
  },
  host: { type: 'string', value: 'address', description: 'Address to listen on. Default 127.0.0.1.' },
  port: { type: 'string', value: 'number', description: 'Port to listen on; 0 picks a free one. Default 4747.' },
  data: {
    type: 'string',
    value: 'directory',
    description: 'Directory of the database. Default .skillwright.',
  },
};

/** The action is not required: without one, the command lists its actions. */
const ACTION = { name: 'action' } as const;
const WORDS = { name: 'words', repeats: true } as const;

const STATUS = {
  type: 'string',
  value: 'status',
  choices: ['pending', 'running', 'success', 'error', 'timeout', 'cancelled'],
  description: 'Only executions with this status.',
} as const;
const KEY = {
  type: 'string',
  value: 'key',
  description:
    'list: only executions of this key. run: run for this key. Give its id, the start of its id, or its name.',
} as const;
const SKILL_NAME = { type: 'string', value: 'name', description: 'Only executions of this skill.' } as const;

/** The gateway, and commands that manage a running gateway or its data directory. */
export const GATEWAY_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    name: 'serve',
    summary: 'Run the gateway.',
    description: [
      'Runs the gateway of the package @skillwright/gateway until Ctrl-C, and prints its address. The first start also prints an admin key and an app key, only once. The log goes to standard error: text in a terminal, otherwise one line of JSON per event.',
      'It listens on a non-loopback address only if API keys exist.',
    ],
    positionals: [],
    options: SERVING_OPTIONS,
    examples: [
      { command: `${PROGRAM} serve`, description: 'on this machine' },
      {
        command: `${PROGRAM} serve --config gateway.json --port 8080`,
        description: 'with a configuration file, on another port',
      },
    ],
    load: () => import('../serving/serve.ts'),
  }),
  defineCommand({
    name: 'skills',
    summary: 'Manage the skills of a gateway.',
    description: [
      'Actions: list, show, enable, disable, set, remove, install and match. Refer to a skill by its name, name@version, its id or the start of its id.',
      "set takes name=value: mode (on, off, auto), policy (auto, manual, hybrid), tags (a,b), timeoutMs and retries (a number); default restores the skill's own value. install takes a JSON file, or - for standard input.",
    ],
    positionals: [
      { ...ACTION, description: 'list, show, enable, disable, set, remove, install or match.' },
      { ...WORDS, description: 'A skill, settings, a file or a text, depending on the action.' },
    ],
    options: {
      query: {
        type: 'string',
        value: 'words',
        description: 'list: only skills with this text in the name, description or tags.',
      },
      mode: {
        type: 'string',
        value: 'mode',
        choices: ['on', 'off', 'auto'],
        description: 'list: only skills with this mode.',
      },
      source: {
        type: 'string',
        value: 'source',
        description: 'list: only skills from this source, such as local or builtin.',
      },
      ...PAGE_OPTIONS,
      ...GATEWAY_OPTIONS,
    },
    examples: [
      { command: `${PROGRAM} skills list --mode auto`, description: 'skills that models see when they fit' },
      {
        command: `${PROGRAM} skills set word-count mode=on policy=hybrid`,
        description: 'always shown, with approval for each run',
      },
      { command: `${PROGRAM} skills install reverse-text.json`, description: 'a skill that runs a registered handler' },
      { command: `${PROGRAM} skills list --data .skillwright`, description: 'while the gateway is stopped' },
    ],
    load: () => import('../gateway/skills/skills.ts'),
  }),
  defineCommand({
    name: 'executions',
    summary: 'Show and run executions of skills on a gateway.',
    description: [
      'Actions: list, show, run, cancel and watch. Refer to an execution by its id or the start of its id. run takes a skill and its input: name=value words, a JSON object, @file, or - for standard input; for a skill with scripts, script=… and args=…, or tool=… and arguments=….',
      'The output of the skill goes to standard error, the result to standard output. Ctrl-C cancels the execution that run started. Exits with 1 if the execution fails.',
    ],
    positionals: [
      { ...ACTION, description: 'list, show, run, cancel or watch.' },
      { ...WORDS, description: 'An execution, or a skill and its input.' },
    ],
    options: {
      status: STATUS,
      skill: SKILL_NAME,
      key: KEY,
      session: { type: 'string', value: 'id', description: 'run: the conversation that the execution belongs to.' },
      ...PAGE_OPTIONS,
      ...GATEWAY_OPTIONS,
    },
    examples: [
      { command: `${PROGRAM} executions list --status error`, description: 'failed executions' },
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
      'Actions: list, create and revoke. create shows the secret key only once. A new key can only have scopes that the key of this command has.',
      'revoke takes the id of a key, the start of its id, or its name.',
    ],
    positionals: [
      { ...ACTION, description: 'list, create or revoke.' },
      { name: 'word', description: 'create: the name of the new key. revoke: the key.' },
    ],
    options: {
      scopes: {
        type: 'string',
        value: 'list',
        description: 'create: a comma-separated list of proxy, execute and manage. Default proxy.',
      },
      'expires-in-days': {
        type: 'string',
        value: 'number',
        description: 'create: when the key expires. Default: never.',
      },
      'requests-per-minute': {
        type: 'string',
        value: 'number',
        description: 'create: requests per minute. Default: the limit in the configuration of the gateway.',
      },
      'concurrent-requests': {
        type: 'string',
        value: 'number',
        description: 'create: concurrent requests. Default: the limit in the configuration of the gateway.',
      },
      ...PAGE_OPTIONS,
      ...GATEWAY_OPTIONS,
    },
    examples: [
      { command: `${PROGRAM} keys create my-app --scopes proxy,execute`, description: 'a key for a program' },
      { command: `${PROGRAM} keys revoke my-app`, description: 'by its name' },
      {
        command: `${PROGRAM} keys create admin --scopes manage,execute,proxy --data .skillwright`,
        description: 'if the admin token is lost, while the gateway is stopped',
      },
    ],
    load: () => import('../gateway/keys.ts'),
  }),
  defineCommand({
    name: 'approvals',
    summary: 'Allow or deny calls of models.',
    description: [
      "Actions: list, show, allow, deny and withdraw. Skills with the policy hybrid need a person's approval; an answer applies to this call (once), to the conversation, or always. withdraw cancels an approval or its answer.",
      'Refer to an approval by its id or the start of its id.',
    ],
    positionals: [
      { ...ACTION, description: 'list, show, allow, deny or withdraw.' },
      { name: 'id', description: 'The approval.' },
    ],
    options: {
      status: {
        type: 'string',
        value: 'status',
        choices: ['pending', 'allowed', 'denied', 'expired'],
        description: 'list: only approvals with this status.',
      },
      scope: {
        type: 'string',
        value: 'scope',
        choices: ['once', 'conversation', 'always'],
        description: 'allow and deny: how long the answer applies. Default once.',
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
      'Without arguments it shows all settings. name=value changes one, with immediate effect: skillsEnabled (the master switch), customSkillExecutionEnabled and traceContent, each true or false.',
    ],
    positionals: [{ name: 'name=value', repeats: true, description: 'A setting and its new value.' }],
    options: GATEWAY_OPTIONS,
    examples: [
      { command: `${PROGRAM} settings`, description: 'show all settings' },
      { command: `${PROGRAM} settings skillsEnabled=false`, description: 'turn off all skills' },
    ],
    load: () => import('../gateway/settings.ts'),
  }),
  defineCommand({
    name: 'audit',
    summary: 'Show who changed what on a gateway.',
    description: ['Shows the changes made over REST or by this program, newest first, and the key that made them.'],
    positionals: [],
    options: {
      action: { type: 'string', value: 'action', description: 'Only this action, such as skill.update or key.create.' },
      target: { type: 'string', value: 'id', description: 'Only changes of this skill, key, approval or execution.' },
      key: {
        type: 'string',
        value: 'key',
        description: 'Only changes by this key: its id, the start of its id, or its name.',
      },
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
    summary: 'Show the latest executions of a gateway, and follow new ones.',
    description: [
      'Shows the latest executions of a gateway, one per line, oldest first. With --follow it continues until Ctrl-C; with --json every line is an execution.',
      'The request log is not shown here; the gateway writes it to standard error.',
    ],
    positionals: [],
    options: {
      follow: { type: 'boolean', short: 'f', description: 'Also show new executions as they come.' },
      status: STATUS,
      skill: SKILL_NAME,
      limit: { type: 'string', value: 'number', description: 'Number of executions to show first. Default 20.' },
      ...GATEWAY_OPTIONS,
    },
    examples: [
      { command: `${PROGRAM} logs -f`, description: 'follow new executions' },
      { command: `${PROGRAM} logs --status error --json`, description: 'failed executions, for a script' },
    ],
    load: () => import('../gateway/logs.ts'),
  }),
];
