import { z } from 'zod';
import type { BuiltInsConfig } from '../config/config.ts';
import { type BuiltIn, defineBuiltIn } from './builtin.ts';
import type { BuiltInGuards } from './guards.ts';

const TIMEOUT_MS = 10_000;
const MAX_PATH_CHARS = 1024;

const PATH = z
  .string()
  .min(1)
  .max(MAX_PATH_CHARS)
  .describe('Relative to the workspace, with "/" between names: notes/today.txt');

/** `file_read` and `file_write`, in the workspace of the caller's key. */
export function createFileBuiltIns(
  { workspace }: Pick<BuiltInGuards, 'workspace'>,
  { maxFileBytes }: Pick<BuiltInsConfig, 'maxFileBytes'>,
): readonly BuiltIn[] {
  const read = defineBuiltIn({
    name: 'file_read',
    description: `Reads a file of the workspace, up to ${maxFileBytes} bytes.`,
    input: z.strictObject({ path: PATH, encoding: z.enum(['utf8', 'base64']).default('utf8') }),
    output: z.object({
      success: z.boolean(),
      path: z.string(),
      content: z.string(),
      bytesRead: z.int(),
      encoding: z.enum(['utf8', 'base64']),
    }),
    policy: 'auto',
    tags: ['files'],
    timeoutMs: TIMEOUT_MS,
    idempotent: true,
    async run({ path, encoding }, context) {
      const bytes = await workspace.read(context, path);
      return { success: true, path, content: bytes.toString(encoding), bytesRead: bytes.length, encoding };
    },
  });
  const write = defineBuiltIn({
    name: 'file_write',
    description: `Writes a text file of the workspace, up to ${maxFileBytes} bytes, and creates directories as needed.`,
    input: z.strictObject({
      path: PATH,
      content: z.string().max(maxFileBytes),
      append: z.boolean().default(false).describe('Append to the file instead of replacing it.'),
      overwrite: z.boolean().default(true).describe('Replace an existing file.'),
    }),
    output: z.object({ success: z.boolean(), path: z.string(), bytesWritten: z.int() }),
    policy: 'auto',
    tags: ['files'],
    timeoutMs: TIMEOUT_MS,
    async run({ path, content, append, overwrite }, context) {
      const bytes = Buffer.from(content, 'utf8');
      const bytesWritten = await workspace.write(context, { path, content: bytes, append, overwrite });
      return { success: true, path, bytesWritten };
    },
  });
  return [read, write];
}
