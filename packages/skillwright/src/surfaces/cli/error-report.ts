import { PROGRAM } from '../../spec/program.ts';
import type { ErrorCode } from '../../spec/errors/error-data.ts';
import { SkillwrightError, messageOf } from '../../spec/errors/error.ts';
import { CliError } from './cli-error.ts';
import type { CliContext } from './context.ts';
import { createErrorOutput, createOutput, troubleLines } from './output.ts';
import { createShownPaths } from './text/shown-path.ts';

/**
 * Reports an error thrown by a command: as JSON on standard output, or as text on standard error. Returns the exit
 * code.
 */
export function reportError(error: unknown, context: CliContext, options: { json: boolean }): number {
  const failure = toFailure(error);
  if (options.json) {
    const { code, message, data, hints } = failure;
    createOutput(context).json({
      error: { code, message, data: { ...data, ...(hints.length === 0 ? {} : { hints }) } },
    });
  } else {
    const output = createErrorOutput(context);
    const shown = createShownPaths(context.cwd, context.home);
    const message = SHOWN_AS_GIVEN.has(failure.code) ? failure.message : shown.text(failure.message);
    const [first = '', ...details] = message.split('\n');
    output.lines(troubleLines(output, 'error', { message: first, details, hints: failure.hints }));
    if (failure.code === 'Unexpected' && error instanceof Error && context.env.SKILLWRIGHT_DEBUG)
      output.line(error.stack);
  }
  return failure.exitCode;
}

/** What to do, for a user of the command line. Codes that are not listed have a complete message. */
const HINTS: Partial<Record<ErrorCode, string | readonly string[]>> = {
  SkillNotFound: [`${PROGRAM} list shows every skill.`, `${PROGRAM} doctor shows refused skills.`],
  ToolNotFound: `${PROGRAM} call lists every tool with its arguments.`,
  SkillBlocked: `${PROGRAM} doctor shows every blocked skill.`,
  TrustNotAllowed: `Example: ${PROGRAM} trust .claude/skills trusts the skills in .claude/skills.`,
  SkillRefused: `${PROGRAM} doctor <skill> says how to fix it.`,
  MalformedText: 'Save the file as UTF-8.',
  FileTooLarge: 'Make the file smaller.',
  FileNotFound: `${PROGRAM} show <skill> --files lists all files.`,
  FileUnreadable: 'Check its permissions.',
  PathNotAllowed: 'Use a path relative to the skill directory.',
  RecordingFailed: 'Pass a writable file to --record.',
};

/** Codes whose messages repeat the path as the user typed it. */
const SHOWN_AS_GIVEN: ReadonlySet<string> = new Set<ErrorCode>(['PathNotAllowed']);

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly hints: readonly string[];
  readonly exitCode: number;
}

function toFailure(error: unknown): Failure {
  if (error instanceof CliError) return error;
  if (SkillwrightError.isInstance(error)) {
    const { code, message, data } = error;
    // Shells use 126 for a program that may not be executed.
    const exitCode = code === 'SkillBlocked' ? 126 : 1;
    return { code, message, data, hints: [HINTS[code] ?? []].flat(), exitCode };
  }
  const message = messageOf(error);
  const hints = ['This is a bug in skillwright. Please report it with the output of SKILLWRIGHT_DEBUG=1.'];
  return { code: 'Unexpected', message, data: {}, hints, exitCode: 1 };
}
