/** Errors of skills, executions and approvals. */
export const SKILL_ERROR_DATA = {
  UnknownHandler: {
    title: 'The handler does not exist',
    status: 422,
    meaning: '`handlerCode` must be the name of a handler that is registered with the gateway. It is never code.',
    remedy: 'Register the handler when the gateway starts, or use one of the names in `data.handlers`.',
  },
  InvalidSchema: {
    title: 'A schema is not a valid JSON Schema',
    status: 422,
    meaning: 'The input or output schema of the skill cannot be used to check values.',
    remedy: 'Correct the schema at the place that the message names.',
  },
  InputTooLarge: {
    title: 'The input of a skill is too large',
    status: 413,
    meaning: 'It is larger than 4 MiB as JSON, or has more than 200,000 values. The skill did not run.',
    remedy: 'Send less, or put the data in a file that the skill reads from its workspace.',
  },
  TooManyExecutions: {
    title: 'Too many concurrent executions',
    status: 429,
    meaning:
      'The key is at its limit of `concurrentRequests`, or the gateway is at its limit of `limits.concurrentExecutions` or of 32 MiB of inputs. The skill did not run.',
    remedy: 'Wait until one of them ends, cancel one, or raise the limit.',
  },
  ExecutionFailed: {
    title: 'A skill failed',
    status: 500,
    meaning: 'The skill threw an error, took too long, or returned an invalid result. Its execution has the details.',
    remedy: 'Look at the execution. Call the skill again only if a second run is safe.',
  },
  ExecutionNotFound: {
    title: 'The execution does not exist',
    status: 404,
    meaning: 'No execution has this id, it belongs to another key, or it is so old that it was removed.',
    remedy: 'List the executions to see the available ones.',
  },
  ExecutionEnded: {
    title: 'The execution has ended',
    status: 409,
    meaning: 'Only a running execution can be cancelled.',
    remedy: 'Nothing needs to be done.',
  },
  ApprovalNotFound: {
    title: 'The approval does not exist',
    status: 404,
    meaning: 'No approval has this id, it was withdrawn, or it expired long ago.',
    remedy: 'List the approvals to see the available ones.',
  },
  ApprovalDecided: {
    title: 'The approval was already answered or has expired',
    status: 409,
    meaning: 'A person has already answered it, or it expired before anybody did.',
    remedy: 'To change an answer, withdraw it. The next call then creates a new approval.',
  },
  TooManyApprovals: {
    title: 'Too many pending approvals',
    status: 429,
    meaning: 'The key is at its limit of pending approvals.',
    remedy: 'Answer or withdraw some of them.',
  },
  TraceNotFound: {
    title: 'The trace does not exist',
    status: 404,
    meaning: 'No trace has this id, it belongs to another key, or it is so old that it was removed.',
    remedy: 'List the traces to see the available ones.',
  },
  AgentSkillNotFound: {
    title: 'The document does not exist',
    status: 404,
    meaning: 'No document in the catalog for agents has this id.',
    remedy: '`GET /api/agent-skills` lists the documents. See [agent skills](../gateway/agent-skills.md).',
  },
  KeyNotFound: {
    title: 'The key does not exist',
    status: 404,
    meaning: 'No key has this id, or the key was revoked.',
    remedy: 'List the keys to see the available ones.',
  },
  LastManageKey: {
    title: 'The last management key cannot be removed',
    status: 409,
    meaning:
      'It is the last key with the scope `manage` that does not expire. Without it, nobody could manage the gateway.',
    remedy: 'Create another such key first.',
  },
  UnknownSkill: {
    title: 'The skill does not exist',
    status: 404,
    meaning: 'No skill that the key can see has this name, or no version of it matches the range.',
    remedy: 'List the skills to see the available ones. `data.suggestion` has the most similar name, if there is one.',
  },
  SkillExists: {
    title: 'The skill already exists',
    status: 409,
    meaning: 'The key already has a skill of this name and version.',
    remedy: 'Register another version, or remove the existing one.',
  },
  SkillPermanent: {
    title: 'A built-in skill cannot be removed',
    status: 409,
    meaning: 'The skill is part of the gateway and would return at the next start.',
    remedy: 'Turn it off instead: `PUT /api/skills/{id}` with `{"mode":"off"}`, or `npx skillwright skills disable`.',
  },
  InvalidSkill: {
    title: 'The definition of the skill is invalid',
    status: 400,
    meaning: 'The name, the version or another value of the skill is invalid.',
    remedy: 'Correct the value. The message names it and what is allowed.',
  },
  InvalidRange: {
    title: 'The version range is invalid',
    status: 400,
    meaning: 'It is neither a version, nor `latest`, nor a range such as `^1.2`, `~1.2.3` or `>=1 <3`.',
    remedy: 'Correct the range.',
  },
  InvalidInput: {
    title: 'The input is invalid for the skill',
    status: 400,
    meaning: 'It does not match the schema of the handler, or does not name a script or tool of the package.',
    remedy: 'Correct the input as the message says.',
  },
  SkillNotAllowed: {
    title: 'The skill is not allowed to run',
    status: 403,
    meaning: 'Its mode is `off`, its policy does not allow a model to run it, or it requires a key.',
    remedy:
      'The message gives the reason. An operator can turn the skill on with `PUT /api/skills/{id}` and `{"mode":"auto"}`, or change its policy there.',
  },
  SkillBlocked: {
    title: 'The skill is blocked',
    status: 403,
    meaning:
      'The directory of the skill is blocked, for example by `npx skillwright trust --block`. The gateway neither shows nor runs it, and ended its running executions.',
    remedy:
      'To unblock it, run `npx skillwright trust --remove <path>` on the gateway machine. See [trust](../trust.md).',
  },
  ApprovalRequired: {
    title: 'A person must approve first',
    status: 403,
    meaning: 'The policy of the skill is `hybrid`. `data.approvalId` is the id of the pending approval.',
    remedy: 'Answer it with `npx skillwright approvals` or over REST, and call the skill again.',
  },
  ApprovalDenied: {
    title: 'A person denied the approval',
    status: 403,
    meaning:
      'The policy of the skill is `hybrid`, and a person denied this call. `data.approvalId` is the id of the approval.',
    remedy: 'Do not repeat the call. A person can withdraw the answer over REST or on the command line.',
  },
  SkillsDisabled: {
    title: 'Skills execution is disabled',
    status: 503,
    meaning: 'The setting `skillsEnabled` is off, so the gateway runs no skills and shows none to models.',
    remedy: 'Turn on `skillsEnabled` in the settings.',
  },
  // Errors of the built-in skills.
  WorkspacePathRefused: {
    title: 'The path cannot be used in a workspace',
    status: 400,
    meaning: 'It is absolute, leaves the workspace, contains forbidden names or characters, or goes through a link.',
    remedy: 'Use a path relative to the workspace, such as `notes/today.txt`.',
  },
  WorkspaceFileUnusable: {
    title: 'The workspace file cannot be read or written',
    status: 409,
    meaning: 'It does not exist, is not a regular file, is too large, or exists and must not be overwritten.',
    remedy: 'The message gives the reason. See [built-in skills](../gateway/built-ins.md#files).',
  },
  WorkspaceFull: {
    title: 'The workspace is full',
    status: 413,
    meaning: 'The files of the tenant would take more than `builtins.workspaceBytes`, or the disk is full.',
    remedy: 'Delete or shorten files, or raise the limit.',
  },
  SandboxUnavailable: {
    title: 'No sandbox is available',
    status: 503,
    meaning: 'This machine has no sandbox as strong as the configuration requires, or the sandbox could not start.',
    remedy: 'The message says what is missing and how to install it. See [sandboxes](../sandboxes.md).',
  },
  SearchUnavailable: {
    title: 'Web search is not available',
    status: 503,
    meaning: 'No search provider is configured, or the provider returned an error or an invalid response.',
    remedy: 'Set `builtins.searchProvider`. See [built-in skills](../gateway/built-ins.md#search).',
  },
  BrowserUnavailable: {
    title: 'No browser is available',
    status: 503,
    meaning: '`playwright-core` is not installed, or no Chromium could be started.',
    remedy: 'Install both. See [built-in skills](../gateway/built-ins.md#browser).',
  },
  BrowserStepFailed: {
    title: 'A browser step failed',
    status: 409,
    meaning: 'The page did not load, or the element to click or fill does not exist.',
    remedy: 'The message names the step. To see what the page contains, add a `text` step before it.',
  },
} as const;
