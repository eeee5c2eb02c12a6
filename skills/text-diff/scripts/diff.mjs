#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

import { DEFAULT_CONTEXT, unifiedDiff } from '../lib/unified-diff.mjs';

const USAGE = `Usage: diff.mjs [--context N] [--ignore-line-endings] <a> <b>

Prints a unified diff that turns text file a into b; "-" reads one of them from standard input.
Exits with 0 if they are the same, 1 if they differ, 2 for any problem.

  --context N            kept lines around each change, default ${DEFAULT_CONTEXT}
  --ignore-line-endings  treat CRLF and CR as LF
  --help                 print this text`;

class UsageError extends Error {}

async function main(argv) {
  const { values, positionals } = readOptions(argv);
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  if (positionals.length !== 2) throw new UsageError(`expected two files, got ${positionals.length}`);
  if (positionals.every((file) => file === '-')) throw new UsageError('only one side can be standard input');
  const context = values.context ?? String(DEFAULT_CONTEXT);
  if (!/^\d+$/.test(context)) throw new UsageError(`--context needs a whole number, not "${context}"`);

  const [a, b] = await Promise.all(positionals.map(readBytes));
  if (a.equals(b)) return 0;
  const texts = [toText(a), toText(b)];
  if (texts.includes(undefined)) {
    process.stdout.write(`Binary files ${positionals[0]} and ${positionals[1]} differ\n`);
    return 1;
  }
  const { identical, diff } = unifiedDiff(texts[0], texts[1], {
    context: Number(context),
    beforeLabel: positionals[0],
    afterLabel: positionals[1],
    ignoreLineEndings: values['ignore-line-endings'],
  });
  process.stdout.write(diff);
  return identical ? 0 : 1;
}

function readOptions(argv) {
  try {
    return parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        context: { type: 'string' },
        'ignore-line-endings': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (cause) {
    throw new UsageError(cause.message, { cause });
  }
}

async function readBytes(file) {
  try {
    return file === '-' ? await buffer(process.stdin) : await readFile(file);
  } catch (cause) {
    throw new Error(`cannot read ${file}: ${cause.message}`, { cause });
  }
}

/** The text of UTF-8 bytes, byte-order mark included, or undefined for anything binary. */
function toText(bytes) {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error; // The reader, `head` for instance, has seen enough.
});
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(`diff.mjs: ${error.message}${error instanceof UsageError ? `\n\n${USAGE}` : ''}`);
  process.exitCode = 2;
}
