#!/usr/bin/env node
import { stat } from 'node:fs/promises';
import { extname, posix, sep } from 'node:path';
import { parseArgs } from 'node:util';

import { createLineSearch } from '../lib/guarded-pattern.mjs';
import { createTextReader, filesBelow } from '../lib/text-files.mjs';

const DEFAULT_MAX = 200;
const FILE_MS = 1_000;
const TOTAL_MS = 20_000;

const USAGE = `Usage: search.mjs [options] [--] <pattern> [directory]

Prints every line below a directory (default ".") that a JavaScript regular expression matches, as path:line: text.
Exits with 0 if the search succeeded, whether or not anything was found, and with 2 otherwise.

  --fixed          the pattern is literal text
  --ignore-case    capitals do not matter
  --ext LIST       only files with these extensions, such as ts,md
  --names          print the names of files with a match, without the lines
  --max N          stop after this many matches, 1 to 10000, default ${DEFAULT_MAX}
  --all            also hidden files, and directories such as node_modules
  --json           print one JSON object
  --help           print this text`;

class UsageError extends Error {}

async function main(argv) {
  const { values, positionals } = readOptions(argv);
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  if (positionals.length < 1 || positionals.length > 2)
    throw new UsageError(`expected a pattern and a directory, got ${positionals.length} arguments`);
  const [pattern, directory = '.'] = positionals;
  const max = readMax(values.max);
  const search = createLineSearch(toRegExp(pattern, values));
  await assertDirectory(directory);
  const result = await searchFiles(directory, search, {
    all: values.all,
    max,
    extensions: readExtensions(values.ext),
    isNames: values.names,
  });
  process.stdout.write(values.json ? `${JSON.stringify(result, null, 2)}\n` : toText(result, values.names));
}

function readOptions(argv) {
  const flag = { type: 'boolean', default: false };
  try {
    return parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        fixed: flag,
        'ignore-case': flag,
        ext: { type: 'string' },
        names: flag,
        max: { type: 'string' },
        all: flag,
        json: flag,
        help: flag,
      },
    });
  } catch (cause) {
    throw new UsageError(cause.message, { cause });
  }
}

function readMax(given) {
  if (given === undefined) return DEFAULT_MAX;
  const max = Number(given);
  if (!/^\d{1,5}$/.test(given) || max < 1 || max > 10_000)
    throw new UsageError(`--max needs a whole number from 1 to 10000, not "${given}"`);
  return max;
}

function readExtensions(given) {
  if (given === undefined) return undefined;
  const extensions = given.split(',').map((part) => `.${part.trim().replace(/^\*?\./, '')}`.toLowerCase());
  if (extensions.includes('.')) throw new UsageError('--ext needs extensions separated by commas, such as ts,md');
  return new Set(extensions);
}

function toRegExp(pattern, { fixed, 'ignore-case': ignoreCase }) {
  if (pattern === '') throw new UsageError('the pattern is empty, and would match every line');
  const source = fixed ? pattern.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`) : pattern;
  try {
    return new RegExp(source, ignoreCase ? 'i' : '');
  } catch (cause) {
    throw new UsageError(`${cause.message}. For literal text use --fixed`, { cause });
  }
}

async function assertDirectory(directory) {
  const found = await stat(directory).catch((cause) => {
    throw new Error(`cannot read ${directory}: ${cause.code ?? cause.message}`, { cause });
  });
  if (!found.isDirectory()) throw new Error(`${directory} is not a directory; give the one it lies in`);
}

async function searchFiles(directory, search, { all, max, extensions, isNames }) {
  const result = { matches: [], files: 0, searched: 0, skipped: {}, truncated: false };
  const readText = createTextReader();
  const endsAt = performance.now() + TOTAL_MS;
  const onSkip = (reason) => (result.skipped[reason] = (result.skipped[reason] ?? 0) + 1);
  for await (const below of filesBelow(directory, { all, onSkip })) {
    const path = posix.join(directory.replaceAll(sep, '/'), below);
    if (extensions !== undefined && !extensions.has(extname(path).toLowerCase())) continue;
    const left = Math.floor(endsAt - performance.now());
    if (left <= 0 || result.matches.length >= max) {
      result.truncated = true;
      break;
    }
    const { text, skipped } = await readText(path);
    if (text === undefined) {
      onSkip(skipped);
      continue;
    }
    const room = isNames ? 1 : max - result.matches.length + 1;
    const found = search(text, { maxMs: Math.max(1, Math.min(FILE_MS, left)), maxMatches: room });
    if (found === undefined) {
      onSkip('pattern too slow');
      continue;
    }
    result.searched += 1;
    if (found.length > 0) result.files += 1;
    const kept = found.slice(0, max - result.matches.length);
    if (kept.length < found.length) result.truncated = true;
    result.matches.push(...kept.map((match) => (isNames ? { path } : { path, ...match })));
  }
  return result;
}

function toText({ matches, files, searched, skipped, truncated }, isNames) {
  const lines = matches.map(({ path, line, text }) => (isNames ? path : `${path}:${line}: ${text}`));
  const found = isNames ? '' : `${amount(matches.length, 'match', 'matches')} in `;
  const summary = `${found}${amount(files, 'file')}, ${amount(searched, 'file')} searched${skippedText(skipped)}.`;
  const more = truncated ? ' Stopped early: there may be more. Narrow the search.' : '';
  return `${[...lines, `${summary}${more}`].join('\n')}\n`;
}

function skippedText(skipped) {
  const parts = Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`);
  return parts.length === 0 ? '' : `, skipped: ${parts.join(', ')}`;
}

function amount(count, noun, plural = `${noun}s`) {
  return `${count} ${count === 1 ? noun : plural}`;
}

process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error; // The reader, `head` for instance, has seen enough.
});
try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`search.mjs: ${error.message}${error instanceof UsageError ? `\n\n${USAGE}` : ''}`);
  process.exitCode = 2;
}
