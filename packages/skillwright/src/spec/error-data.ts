/** One permanent error code: what it means and what to do. The reference page is generated from this table. */
export interface ErrorEntry {
  readonly title: string;
  /** The class that carries it. */
  readonly thrownAs:
    | 'SkillwrightError'
    | 'SkillDiscoveryError'
    | 'SkillParsingError'
    | 'SkillValidationError'
    | 'SkillInvocationError'
    | 'ToolRestrictionError';
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
      'The message suggests close names. `skillwright list` shows every name, `skillwright doctor` what was refused.',
  },
  ToolNotFound: {
    title: 'No skill declares this tool',
    thrownAs: 'SkillInvocationError',
    meaning: 'The name fits no tool of a tools.json, neither by itself nor as `skill__tool`.',
    remedy: 'The message suggests a close name. `skillwright list --tools` shows every tool.',
  },
  SkillRefused: {
    title: 'The skill exists but could not be read',
    thrownAs: 'SkillParsingError',
    meaning:
      'A directory of this name holds a SKILL.md that was refused. Thrown as `SkillParsingError` or `SkillValidationError`, whichever fits the reason.',
    remedy: 'The message and `data.diagnostics` say what is wrong and at which line.',
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
    remedy: 'Check the spelling against `skillwright show <skill>`; refresh if files changed.',
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
} as const;

export type ErrorCode = keyof typeof ERROR_DATA;

/** What the table says about a code. */
export function describeError(code: ErrorCode): ErrorEntry {
  return ERROR_DATA[code];
}
