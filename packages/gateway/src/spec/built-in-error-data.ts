/** Errors of the skills that the gateway brings itself. */
export const BUILT_IN_ERROR_DATA = {
  WorkspacePathRefused: {
    title: 'The path is none for a workspace',
    status: 400,
    meaning: 'It is absolute, leads out of the workspace, holds forbidden names or characters, or goes through a link.',
    remedy: 'Use a path relative to the workspace, such as `notes/today.txt`.',
  },
  WorkspaceFileUnusable: {
    title: 'The file of the workspace cannot be read or written',
    status: 409,
    meaning: 'It is not there, is no regular file, is too large, or exists and is not to be overwritten.',
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
    meaning: 'A page did not load, or what was to be clicked or filled is not there.',
    remedy: 'The message names the step. Look at the page first, with a step `text`.',
  },
} as const;
