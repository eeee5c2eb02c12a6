import { z } from 'zod';
import type { BuiltInsConfig } from '../config/config.ts';
import { type BuiltIn, defineBuiltIn } from './builtin.ts';
import type { BuiltInGuards } from './guards.ts';

const MAX_TIMEOUT_MS = 60_000;
const MAX_CODE_CHARS = 500_000;
const MAX_ARGUMENTS = 1_000;
const MAX_ARGUMENT_CHARS = 100_000;
/**
 * Added to the handler's timeout, so that the script's own timeout fires first: only then is the script's output kept.
 */
const MARGIN_MS = 15_000;

const FILES = { javascript: 'main.js', python: 'main.py' } as const;
/**
 * A script that runs a program with arguments. The shell finds the program in the sandbox's PATH and replaces itself
 * with the program.
 */
const DIRECT = '#!/bin/sh\nexec "$@"\n';
const SHELL = '#!/bin/sh\n';

const ARGUMENT = z
  .string()
  .max(MAX_ARGUMENT_CHARS)
  .refine((text) => !text.includes('\0'), 'must not contain NUL characters');
const ANSWER = z.object({
  success: z.boolean(),
  exitCode: z.int().nullable(),
  stdout: z.string(),
  stderr: z.string(),
  truncated: z.boolean(),
  durationMs: z.number(),
  killed: z.boolean(),
});

/** `eval_code` and `execute_command`: run code written by a model, in a sandbox that sees only the workspace. */
export function createCodeBuiltIns(
  { run }: Pick<BuiltInGuards, 'run'>,
  { sandboxTimeoutMs }: Pick<BuiltInsConfig, 'sandboxTimeoutMs'>,
): readonly BuiltIn[] {
  const sharedInput = {
    timeoutMs: z.int().min(1).max(MAX_TIMEOUT_MS).default(Math.min(sandboxTimeoutMs, MAX_TIMEOUT_MS)),
    networkEnabled: z
      .boolean()
      .default(false)
      .describe('Request network access. It works only if the operator allows it.'),
  };
  const evaluate = defineBuiltIn({
    name: 'eval_code',
    description:
      'Runs JavaScript (Node.js) or Python in a sandbox. Print the result. The working directory is the workspace of file_read and file_write.',
    input: z.strictObject({
      code: z.string().min(1).max(MAX_CODE_CHARS),
      language: z.enum(['javascript', 'python']).default('javascript'),
      ...sharedInput,
    }),
    output: ANSWER,
    policy: 'hybrid',
    tags: ['code'],
    timeoutMs: MAX_TIMEOUT_MS + MARGIN_MS,
    run: ({ code, language, timeoutMs, networkEnabled }, context) =>
      run({ file: FILES[language], text: code, args: [], timeoutMs, networkEnabled }, context),
  });
  const execute = defineBuiltIn({
    name: 'execute_command',
    description:
      'Runs a program in a sandbox, in the workspace of file_read and file_write. With args, the command is a program; without args, it is a shell command line.',
    input: z.strictObject({
      command: ARGUMENT.min(1),
      args: z.array(ARGUMENT).max(MAX_ARGUMENTS).optional(),
      ...sharedInput,
    }),
    output: ANSWER,
    policy: 'manual',
    tags: ['system'],
    timeoutMs: MAX_TIMEOUT_MS + MARGIN_MS,
    run: ({ command, args, timeoutMs, networkEnabled }, context) => {
      const script =
        args === undefined ? { text: `${SHELL}${command}\n`, args: [] } : { text: DIRECT, args: [command, ...args] };
      return run({ file: 'command.sh', ...script, timeoutMs, networkEnabled }, context);
    },
  });
  return [evaluate, execute];
}
