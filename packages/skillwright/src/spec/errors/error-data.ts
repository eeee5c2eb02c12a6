/**
 * One permanent error code: what it means and what to do.
 * @internal The script that generates the reference page of errors uses this type.
 */
export interface ErrorEntry {
  readonly title: string;
  /** The class of errors with this code. */
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
    title: 'An option has an invalid value',
    thrownAs: 'SkillwrightError',
    meaning: 'A constructor or method was given an option of the wrong type, or two options that exclude each other.',
    remedy: 'The message names the option, the value it received and the values it accepts.',
  },
  NodeTooOld: {
    title: 'The Node.js version is too old',
    thrownAs: 'SkillwrightError',
    meaning: 'The library, the gateway or the command was started with a version of Node.js before 22.19.',
    remedy:
      'Install a newer version from nodejs.org or with your version manager. `data` has the required version and the one found.',
  },
  DiscoveryFailed: {
    title: 'Discovery could not run',
    thrownAs: 'SkillDiscoveryError',
    meaning:
      'A source of skills failed as a whole, for example because of a bug in a custom source. Invalid skills never cause this error; they are reported as diagnostics.',
    remedy: 'See `cause`. If the source is your own, make its `scan` report problems as diagnostics.',
  },
  SkillNotFound: {
    title: 'The skill does not exist',
    thrownAs: 'SkillInvocationError',
    meaning: 'The name matches no discovered skill, neither as a bare name nor as a qualified one.',
    remedy:
      'The message suggests similar names. `npx skillwright list` shows every skill, and `npx skillwright doctor` shows the skills that were refused.',
  },
  ToolNotFound: {
    title: 'No skill declares this tool',
    thrownAs: 'SkillInvocationError',
    meaning: 'The name matches no tool in any tools.json, neither by itself nor as `skill__tool`.',
    remedy: 'The message suggests a similar name. `npx skillwright list --tools` shows every tool.',
  },
  SkillRefused: {
    title: 'The skill exists but could not be read',
    thrownAs: 'SkillParsingError',
    meaning:
      'A directory of this name holds a SKILL.md that was refused. Thrown as `SkillParsingError` or `SkillValidationError`, whichever fits the reason.',
    remedy: 'Fix the problems that the message and `data.diagnostics` list, with their line numbers.',
  },
  SkillBlocked: {
    title: 'The skill is blocked',
    thrownAs: 'SkillInvocationError',
    meaning: 'The skill exists, but the trust file, its source or the host blocks it, so it never loads.',
    remedy: 'If the trust file blocks it, run `npx skillwright trust --remove <path>`. See [trust](../trust.md).',
  },
  SkillDisabled: {
    title: 'The skill is turned off',
    thrownAs: 'SkillInvocationError',
    meaning: "The skill exists, but its mode is `off`, or the agent's `include` and `exclude` lists leave it out.",
    remedy: 'The message gives the reason. Change the mode or the lists if you want to use the skill.',
  },
  TrustNotAllowed: {
    title: 'The directory cannot be trusted',
    thrownAs: 'SkillwrightError',
    meaning:
      'It does not exist, is not a directory, contains the trust file, or is too broad, such as the home directory or a whole drive.',
    remedy: 'Give the path of the directory that contains the skills.',
  },
  TrustFileUnusable: {
    title: 'The trust file cannot be used',
    thrownAs: 'SkillwrightError',
    meaning:
      'The file is invalid, other users can change it, another process keeps it locked, or the system does not allow writing it. Skillwright leaves the file unchanged and ignores its content.',
    remedy: 'Follow the advice in the message, which names the file.',
  },
  MalformedText: {
    title: 'A file is not valid UTF-8',
    thrownAs: 'SkillParsingError',
    meaning:
      'SKILL.md or a bundled text file contains bytes that are not UTF-8. The message gives the position of the first one.',
    remedy: 'Save the file as UTF-8.',
  },
  FileTooLarge: {
    title: 'A file is larger than its limit',
    thrownAs: 'SkillInvocationError',
    meaning: 'The whole file would take more memory than the limit allows.',
    remedy: 'Make the file smaller, or raise the limit named in the message.',
  },
  FileNotFound: {
    title: 'The file does not exist in the skill',
    thrownAs: 'SkillInvocationError',
    meaning:
      'The path is inside the skill, but there is no readable file at it. The file may have been removed since discovery.',
    remedy:
      'Compare the path with the files that `npx skillwright show <skill>` lists. If files changed, refresh the skills.',
  },
  FileUnreadable: {
    title: 'The file exists but cannot be read',
    thrownAs: 'SkillInvocationError',
    meaning:
      'The operating system refused to read it: missing permissions, a directory instead of a file, or an I/O error. See `cause`.',
    remedy: 'Correct the permissions, or give the path of a regular file.',
  },
  PathNotAllowed: {
    title: 'The path leads out of the skill',
    thrownAs: 'SkillInvocationError',
    meaning:
      'Skillwright refuses absolute paths, `..` that leaves the skill, NUL bytes, and links to places outside the skill.',
    remedy: 'Use a path relative to the skill directory.',
  },
  ToolRestricted: {
    title: 'The active skill does not allow this tool',
    thrownAs: 'ToolRestrictionError',
    meaning:
      'The active skills do not allow this call: the tool is not listed, it is disallowed, or a part of the shell command matches no rule or cannot be parsed.',
    remedy:
      'Add the tool to `allowed-tools`, split the command into simpler ones, or end the scope first. [Tool restrictions](../tool-restrictions.md) explains the rules.',
  },
  UrlNotAllowed: {
    title: 'The URL is not allowed',
    thrownAs: 'NetworkError',
    meaning:
      'It is malformed, uses a scheme other than http or https, contains a user name or password, or has no valid host. The same rules apply to redirects.',
    remedy: 'Use an absolute http or https URL, and send credentials in a header.',
  },
  AddressNotAllowed: {
    title: 'The host is not public',
    thrownAs: 'NetworkError',
    meaning:
      'The host is, or resolves to, an internal address: this machine, a private network, a metadata service or a reserved range. One such address among several is enough to refuse the request. `data` has the host, the address and its kind.',
    remedy:
      "If the host may be reached, add it to the client's `allow` list. [The network](../network.md) explains how to write entries.",
  },
  RedirectRefused: {
    title: 'A redirect was refused',
    thrownAs: 'NetworkError',
    meaning:
      'Redirects are turned off for the request, there were too many of them, or one led from https to http. The target of each redirect is checked like any other URL.',
    remedy: 'Request the final URL, or set the option that the message names: `redirect` or `maxRedirects`.',
  },
  ResponseTooLarge: {
    title: 'The response is larger than its limit',
    thrownAs: 'NetworkError',
    meaning:
      'Its headers or its body exceed the limit, either as received or after decompression. Data beyond the limit is discarded.',
    remedy: 'Raise the limit named in the message, or request less data.',
  },
  RequestTimeout: {
    title: 'The request took too long',
    thrownAs: 'NetworkError',
    meaning:
      'A time limit passed while connecting, waiting for the response to begin, waiting for its next bytes, or for the request as a whole. `data.phase` says which.',
    remedy: 'Try again later, or raise the limit named in the message.',
  },
  RequestCancelled: {
    title: 'The request was cancelled',
    thrownAs: 'NetworkError',
    meaning: 'Its abort signal fired (`cause` is the reason), or its client was closed.',
    remedy: 'If this was intended, do nothing.',
  },
  RequestFailed: {
    title: 'The request failed',
    thrownAs: 'NetworkError',
    meaning:
      'The host name does not resolve, the connection failed or broke, the certificate is not trusted, or the response is malformed. `cause` and `data.reason` have the details.',
    remedy: 'The message says what happened. Check the host, and try again if the problem may be temporary.',
  },
  ToolNotSaved: {
    title: 'A tool that a model defined could not be saved',
    thrownAs: 'SkillwrightError',
    meaning: 'Another file is in its place, or the directory for such tools is not writable. Nothing was changed.',
    remedy: 'Choose another name, or make the directory of the option `dynamicTools` writable.',
  },
  LaunchFailed: {
    title: 'A sandbox tier could not start a program',
    thrownAs: 'SkillwrightError',
    meaning:
      'The tier does not run such programs, cannot provide the requested directories, or is at its limit of calls. In results of runs, this is the cause of `ExecutionFailed`.',
    remedy: 'The message gives the reason. Remove it, or use another tier.',
  },
  RecordingFailed: {
    title: 'A record of executions or traces cannot be written or read',
    thrownAs: 'SkillwrightError',
    meaning:
      'The path is not a regular file, its directory is gone, the disk is full, or the recorder was closed. Skillwright runs nothing that it cannot record. See `cause`.',
    remedy: 'Give the recorder a writable path, and free space on its disk.',
  },
} as const;

/** The permanent code of an error; docs/reference/errors.md lists them all. */
export type ErrorCode = keyof typeof ERROR_DATA;
