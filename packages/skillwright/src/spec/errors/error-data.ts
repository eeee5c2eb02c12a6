/**
 * One permanent error code: what it means and what to do.
 * @internal The script that writes the reference page of errors reads the table as this.
 */
export interface ErrorEntry {
  readonly title: string;
  /** The class that carries it. */
  readonly thrownAs:
    | 'SkillwrightError'
    | 'SkillDiscoveryError'
    | 'SkillParsingError'
    | 'SkillValidationError'
    | 'SkillInvocationError'
    | 'ToolRestrictionError'
    | 'NetworkError';
  readonly meaning: string;
  readonly remedy: string;
}

export const ERROR_DATA = {
  InvalidOptions: {
    title: 'An option has a value it cannot have',
    thrownAs: 'SkillwrightError',
    meaning: 'A constructor or method was given an option of the wrong type, or two options that exclude each other.',
    remedy: 'The message names the option, what it got and what it takes.',
  },
  NodeTooOld: {
    title: 'This Node is too old',
    thrownAs: 'SkillwrightError',
    meaning: 'The library, the gateway or the command was started with a Node older than 22.19.',
    remedy:
      'Install a later one, from nodejs.org or with your version manager. `data` has what is needed and what was found.',
  },
  DiscoveryFailed: {
    title: 'Discovery could not run',
    thrownAs: 'SkillDiscoveryError',
    meaning:
      'A source failed in a way that says nothing about the skills in it, such as a defect in a custom source. Bad skills never cause this: they are diagnostics.',
    remedy: 'See `cause`. If the source is your own, make its `scan` report problems as diagnostics.',
  },
  SkillNotFound: {
    title: 'No skill has this name',
    thrownAs: 'SkillInvocationError',
    meaning: 'The name fits no discovered skill, neither bare nor qualified.',
    remedy:
      'The message suggests close names. `npx skillwright list` shows every name, `npx skillwright doctor` what was refused.',
  },
  ToolNotFound: {
    title: 'No skill declares this tool',
    thrownAs: 'SkillInvocationError',
    meaning: 'The name fits no tool of a tools.json, neither by itself nor as `skill__tool`.',
    remedy: 'The message suggests a close name. `npx skillwright list --tools` shows every tool.',
  },
  SkillRefused: {
    title: 'The skill exists but could not be read',
    thrownAs: 'SkillParsingError',
    meaning:
      'A directory of this name holds a SKILL.md that was refused. Thrown as `SkillParsingError` or `SkillValidationError`, whichever fits the reason.',
    remedy: 'The message and `data.diagnostics` say what is wrong and at which line.',
  },
  SkillBlocked: {
    title: 'The skill is blocked',
    thrownAs: 'SkillInvocationError',
    meaning: 'The skill is there, but it is blocked by the trust file, by its source or by the host, and never loads.',
    remedy: '`npx skillwright trust --remove <path>` takes back a block of the trust file; see [trust](../trust.md).',
  },
  SkillDisabled: {
    title: 'The skill is turned off here',
    thrownAs: 'SkillInvocationError',
    meaning: "The skill is there, but its mode is `off`, or the agent's `include` and `exclude` leave it out.",
    remedy: 'The message says which. Change the mode or the lists, if the skill is wanted.',
  },
  TrustNotAllowed: {
    title: 'The directory cannot be trusted',
    thrownAs: 'SkillwrightError',
    meaning:
      'It does not exist, is no directory, holds the trust file itself, or is as wide as the home directory or a whole drive.',
    remedy: 'Name the directory that holds the skills.',
  },
  TrustFileUnusable: {
    title: 'The trust file cannot be used',
    thrownAs: 'SkillwrightError',
    meaning:
      'It is no valid trust file, others may change it, another process keeps it locked, or the system refuses to write it. It is left as it is, and nothing in it counts.',
    remedy: 'The message names the file and says what to do.',
  },
  MalformedText: {
    title: 'A file is not valid UTF-8',
    thrownAs: 'SkillParsingError',
    meaning: 'SKILL.md or a bundled text file holds bytes that are not UTF-8. The message says at which byte.',
    remedy: 'Save the file as UTF-8.',
  },
  FileTooLarge: {
    title: 'A file is larger than its limit',
    thrownAs: 'SkillInvocationError',
    meaning: 'Reading it whole would take more memory than the limit allows.',
    remedy: 'Make the file smaller, or raise the limit named in the message.',
  },
  FileNotFound: {
    title: 'The skill has no such file',
    thrownAs: 'SkillInvocationError',
    meaning: 'The path is inside the skill, but nothing readable is there. It may have been removed since discovery.',
    remedy: 'Check the spelling against `npx skillwright show <skill>`; refresh if files changed.',
  },
  FileUnreadable: {
    title: 'The file exists but cannot be read',
    thrownAs: 'SkillInvocationError',
    meaning: 'The operating system refused: permissions, a directory in place of a file, an I/O error. See `cause`.',
    remedy: 'Fix the permissions, or give the path of a regular file.',
  },
  PathNotAllowed: {
    title: 'The path leads out of the skill',
    thrownAs: 'SkillInvocationError',
    meaning: 'Absolute paths, `..` that climbs out, NUL bytes and links that end outside the skill are refused.',
    remedy: 'Use a path relative to the skill directory.',
  },
  ToolRestricted: {
    title: 'The active skill does not allow this tool',
    thrownAs: 'ToolRestrictionError',
    meaning:
      'The lists of the active skills do not allow this call: the tool is not listed, it is disallowed, or a part of the shell command matches no rule or is not understood.',
    remedy:
      'Add the tool to `allowed-tools`, split the command into simpler ones, or end the scope first. [Tool restrictions](../tool-restrictions.md) says how calls are judged.',
  },
  UrlNotAllowed: {
    title: 'The URL is not one that is fetched',
    thrownAs: 'NetworkError',
    meaning:
      'It is malformed, of another scheme than http or https, has a user name or password in it, or names no proper host. Redirects are held to the same.',
    remedy: 'Use an absolute http or https URL. Credentials belong into a header.',
  },
  AddressNotAllowed: {
    title: 'The host is not a public one',
    thrownAs: 'NetworkError',
    meaning:
      'The host is, or resolves to, an address inside: this machine, a private network, a metadata service, a reserved range. One such address among several is enough. `data` has the host, the address and its kind.',
    remedy:
      'If it is meant to be reached, the operator puts it on the `allow` list of the client. [The network](../network.md) says how entries are written.',
  },
  RedirectRefused: {
    title: 'The redirect is not followed',
    thrownAs: 'NetworkError',
    meaning:
      'The host redirects where redirects are not followed, more often than allowed, or from https to http. Where a followed redirect leads is checked like any URL.',
    remedy: 'Ask for the final URL, or pass `redirect` or `maxRedirects`, which the message names.',
  },
  ResponseTooLarge: {
    title: 'The response is larger than its limit',
    thrownAs: 'NetworkError',
    meaning: 'Its headers or its body, as received or as unpacked, exceed the limit. Nothing past the limit is kept.',
    remedy: 'Raise the limit named in the message, or ask for less.',
  },
  RequestTimeout: {
    title: 'The request took too long',
    thrownAs: 'NetworkError',
    meaning:
      'The connection, the beginning of the answer, the next bytes of it, or the request with its whole body was not there in time. `data.phase` says which.',
    remedy: 'Try again later, or raise the limit named in the message.',
  },
  RequestCancelled: {
    title: 'The request was cancelled',
    thrownAs: 'NetworkError',
    meaning: 'Its signal was aborted (`cause` is the reason), or its client was closed.',
    remedy: 'Nothing is wrong, if that was intended.',
  },
  RequestFailed: {
    title: 'The request did not succeed',
    thrownAs: 'NetworkError',
    meaning:
      'The name does not resolve, the connection failed or broke, the certificate is not trusted, or the response is malformed. `cause` and `data.reason` have the details.',
    remedy: 'The message says what happened. Check the host, and try again if it may be passing.',
  },
  ToolNotSaved: {
    title: 'A tool that a model defined could not be kept',
    thrownAs: 'SkillwrightError',
    meaning:
      'There is something else in its place, or the directory for such tools cannot be written. Nothing was changed.',
    remedy: 'Choose another name, or see to the directory that the option `dynamicTools` names.',
  },
  LaunchFailed: {
    title: 'A tier could not start a program',
    thrownAs: 'SkillwrightError',
    meaning:
      'What was to be started cannot be started there: the tier does not run such programs, cannot show the directories asked for, or has no room for another call. In results of runs it is the cause of `ExecutionFailed`.',
    remedy: 'The message says what stood in the way.',
  },
  RecordingFailed: {
    title: 'A record of executions or traces cannot be written or read',
    thrownAs: 'SkillwrightError',
    meaning:
      'The file is no regular file, its directory is gone, the disk is full, or the recorder was closed. Nothing runs that cannot be recorded. See `cause`.',
    remedy: 'Give the recorder a path that can be written to, and make room on its disk.',
  },
} as const;

/** The permanent code of an error; docs/reference/errors.md lists them all. */
export type ErrorCode = keyof typeof ERROR_DATA;
