/** What can be wrong with skills, executions and approvals. */
export const SKILL_ERROR_DATA = {
  UnknownHandler: {
    title: 'No handler has this name',
    status: 422,
    meaning: '`handlerCode` is the name of a handler that the program of the gateway registered. It is never code.',
    remedy: 'Register the handler at the start of the gateway, or name one that is there: `data.handlers` has them.',
  },
  InvalidSchema: {
    title: 'A schema is no JSON Schema',
    status: 422,
    meaning: 'The schema of what goes in or comes out cannot be used to check a value.',
    remedy: 'The message names the place in the schema.',
  },
  InputTooLarge: {
    title: 'The input of a skill is too large',
    status: 413,
    meaning: 'It takes more than 4 MiB as JSON, or has more than 200,000 values. Nothing was run.',
    remedy: 'Send less, or have the skill read it from its workspace.',
  },
  TooManyExecutions: {
    title: 'Too many executions at the same time',
    status: 429,
    meaning:
      'As many executions are under way as the key (its `concurrentRequests`) or the gateway (`limits.concurrentExecutions`, and 32 MiB of inputs) may have. Nothing was run.',
    remedy: 'Wait for one of them to end, cancel one, or raise the limit.',
  },
  ExecutionFailed: {
    title: 'A skill failed',
    status: 500,
    meaning: 'What ran threw an error, took too long, or answered what it must not. Its execution has the details.',
    remedy: 'Look at the execution. Call again only if that is safe.',
  },
  ExecutionNotFound: {
    title: 'There is no such execution',
    status: 404,
    meaning: 'No execution has this id, it belongs to another key, or it is so old that it was removed.',
    remedy: 'List the executions to see those that there are.',
  },
  ExecutionEnded: {
    title: 'The execution has ended',
    status: 409,
    meaning: 'What has ended cannot be cancelled.',
    remedy: 'Nothing has to be done.',
  },
  ApprovalNotFound: {
    title: 'There is no such approval',
    status: 404,
    meaning: 'No question to a person has this id, or it was withdrawn, or it expired long ago.',
    remedy: 'List the approvals to see those that there are.',
  },
  ApprovalDecided: {
    title: 'The approval takes no answer any more',
    status: 409,
    meaning: 'Somebody has answered it, or it has expired.',
    remedy: 'Withdraw an answer to take it back; what is then asked for again is a new question.',
  },
  TooManyApprovals: {
    title: 'Too many questions wait for a person',
    status: 429,
    meaning: 'As many approvals of the key are pending as it may have.',
    remedy: 'Answer or withdraw some of them.',
  },
  TraceNotFound: {
    title: 'There is no such trace',
    status: 404,
    meaning: 'No trace has this id, it belongs to another key, or it is so old that it was removed.',
    remedy: 'List the traces to see those that there are.',
  },
  AgentSkillNotFound: {
    title: 'No such document',
    status: 404,
    meaning: 'No document of the catalog for agents has the id.',
    remedy: '`GET /api/agent-skills` lists them. See [agent skills](../gateway/agent-skills.md).',
  },
  KeyNotFound: {
    title: 'There is no such key',
    status: 404,
    meaning: 'No key has this id, or it was revoked before.',
    remedy: 'List the keys to see those that there are.',
  },
  LastManageKey: {
    title: 'Nobody could manage the gateway any more',
    status: 409,
    meaning: 'It is the last key with the scope `manage` that does not expire.',
    remedy: 'Create another one first.',
  },
  UnknownSkill: {
    title: 'There is no such skill',
    status: 404,
    meaning: 'No skill that the key sees has this name, or none of its versions is in the range.',
    remedy: 'List the skills to see those that there are. `data.suggestion` has the nearest, if any is near.',
  },
  SkillExists: {
    title: 'The skill is there already',
    status: 409,
    meaning: 'The key has a skill of this name and version.',
    remedy: 'Give it another version, or remove the one that is there.',
  },
  SkillPermanent: {
    title: 'A built-in skill cannot be removed',
    status: 409,
    meaning: 'The skill comes with the gateway, and would be there again after the next start.',
    remedy: 'Turn it off instead: `PUT /api/skills/{id}` with `{"mode":"off"}`, or `npx skillwright skills disable`.',
  },
  InvalidSkill: {
    title: 'A skill cannot be registered like this',
    status: 400,
    meaning: 'A name, a version or another value of the skill is not what it must be.',
    remedy: 'The message names the value and what it takes.',
  },
  InvalidRange: {
    title: 'A version range cannot be read',
    status: 400,
    meaning: 'It is neither a version, nor `latest`, nor a range such as `^1.2`, `~1.2.3` or `>=1 <3`.',
    remedy: 'Correct the range.',
  },
  InvalidInput: {
    title: 'The input does not fit the skill',
    status: 400,
    meaning: 'It breaks the schema of the handler, or names neither a script nor a tool of a package.',
    remedy: 'The message names what is wrong.',
  },
  SkillNotAllowed: {
    title: 'The skill may not run',
    status: 403,
    meaning: 'Its mode is `off`, its policy does not let a model run it, or it is not for whoever has no key.',
    remedy:
      'The message has the reason. An operator can turn a skill on with `PUT /api/skills/{id}` and `{"mode":"auto"}`, and change its policy there.',
  },
  SkillBlocked: {
    title: 'The skill is blocked',
    status: 403,
    meaning:
      'The directory of the skill is blocked, as by `npx skillwright trust --block`. Nothing of it is shown or run, and what ran of it was ended.',
    remedy:
      '`npx skillwright trust --remove <path>` on the machine of the gateway takes back what blocks it. See [trust](../trust.md).',
  },
  ApprovalRequired: {
    title: 'A person must approve first',
    status: 403,
    meaning: 'The policy of the skill is `hybrid`. `data.approvalId` names the question that waits for an answer.',
    remedy: 'Answer it with `npx skillwright approvals` or over REST, and call again.',
  },
  ApprovalDenied: {
    title: 'A person did not allow it',
    status: 403,
    meaning:
      'The policy of the skill is `hybrid`, and the answer was no. `data.approvalId` names the question that was answered.',
    remedy: 'Do not call it again. A person can take the answer back over REST or the command line.',
  },
  SkillsDisabled: {
    title: 'Skills execution is disabled',
    status: 503,
    meaning: 'The master switch, the setting `skillsEnabled`, is off: nothing is run and nothing is shown to models.',
    remedy: 'Turn it on in the settings.',
  },
  // From here on, errors of the built-in skills.
  WorkspacePathRefused: {
    title: 'The path cannot be used in a workspace',
    status: 400,
    meaning: 'It is absolute, leads out of the workspace, holds forbidden names or characters, or goes through a link.',
    remedy: 'Use a path relative to the workspace, such as `notes/today.txt`.',
  },
  WorkspaceFileUnusable: {
    title: 'The file of the workspace cannot be read or written',
    status: 409,
    meaning: 'It does not exist, is not a regular file, is too large, or exists and must not be overwritten.',
    remedy: 'The message says which. See [built-in skills](../gateway/built-ins.md#files).',
  },
  WorkspaceFull: {
    title: 'The workspace has no room for this',
    status: 413,
    meaning: 'The files of the tenant would take more than `builtins.workspaceBytes`, or the disk is full.',
    remedy: 'Remove or shorten files, or raise the limit.',
  },
  SandboxUnavailable: {
    title: 'There is nowhere safe to run this',
    status: 503,
    meaning: 'No sandbox as strong as the configuration demands can be used here, or it could not be started.',
    remedy: 'The message says what is missing and how to get it. See [sandboxes](../sandboxes.md).',
  },
  SearchUnavailable: {
    title: 'The web cannot be searched',
    status: 503,
    meaning: 'No search is configured, or the one that is does not answer as it should.',
    remedy: 'Set `builtins.searchProvider`. See [built-in skills](../gateway/built-ins.md#search).',
  },
  BrowserUnavailable: {
    title: 'There is no browser to use',
    status: 503,
    meaning: '`playwright-core` is not installed, or no Chromium could be started.',
    remedy: 'Install both. See [built-in skills](../gateway/built-ins.md#browser).',
  },
  BrowserStepFailed: {
    title: 'The page did not do what was asked',
    status: 409,
    meaning: 'A page did not load, or the element to click or fill is missing.',
    remedy: 'The message names the step. Look at the page first, with a step `text`.',
  },
} as const;
