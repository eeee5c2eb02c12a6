#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

import { countText } from './count_words.js';

const USAGE = `Usage: count.mjs [--json] [--locale=TAG] [--wpm=N] <file...>

Prints lines, words, characters, sentences and reading time of UTF-8 text files; "-" reads standard input.

  --json         print an array of JSON objects instead of a table
  --locale=TAG   language tag that guides word boundaries, default en
  --wpm=N        reading speed in words per minute, default 238
  --help         print this text`;

async function main(argv) {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      locale: { type: 'string' },
      wpm: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (positionals.length === 0) throw new TypeError('name at least one file, or "-" for standard input');

  const options = {
    locale: values.locale,
    wordsPerMinute: values.wpm === undefined ? undefined : Number(values.wpm),
  };
  countText('', options); // Wrong options are a usage error, not a failure of every file.

  const rows = [];
  let failed = false;
  for (const file of positionals) {
    try {
      rows.push({ file, ...countText(await readText(file), options) });
    } catch (error) {
      failed = true;
      console.error(`count.mjs: ${file}: ${error.message}`);
    }
  }
  if (values.json) console.log(JSON.stringify(rows, null, 2));
  else if (rows.length > 0) console.log(toTable(rows));
  return failed ? 1 : 0;
}

async function readText(file) {
  const bytes = file === '-' ? await buffer(process.stdin) : await readFile(file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Error('not UTF-8 text', { cause });
  }
}

function toTable(rows) {
  const cells = rows.map((row) => [
    String(row.lines),
    String(row.words),
    String(row.characters),
    String(row.sentences),
    toDuration(row.reading_time_seconds),
    row.file,
  ]);
  if (rows.length > 1) {
    const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
    const seconds = toDuration(sum('reading_time_seconds'));
    cells.push([...['lines', 'words', 'characters', 'sentences'].map((key) => String(sum(key))), seconds, 'total']);
  }
  const header = ['lines', 'words', 'characters', 'sentences', 'reading', 'file'];
  const widths = header.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column].length)));
  return [header, ...cells]
    .map((row) => row.map((cell, column) => (column === 5 ? cell : cell.padStart(widths[column]))).join('  '))
    .join('\n');
}

function toDuration(seconds) {
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(`count.mjs: ${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}
