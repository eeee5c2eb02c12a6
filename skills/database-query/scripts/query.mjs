#!/usr/bin/env node
import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { bindValues, readStatement } from '../lib/sql-statement.mjs';

const DEFAULT_LIMIT = 100;
const MAX_TEXT = 2_000;
const MAX_CELL = 60;

const USAGE = `Usage: query.mjs [--params JSON] [--limit N] [--json] <file> <sql>
       query.mjs --schema [--json] <file>

Runs one statement that reads against a SQLite file, or shows its tables. Nothing is ever written.
Exits with 0 if the query succeeded, with or without rows, and with 2 otherwise.

  --schema       tables, views, columns and numbers of rows
  --params JSON  values: an array for ?, an object for :name
  --limit N      rows at most, 1 to 10000, default ${DEFAULT_LIMIT}
  --json         print one JSON object
  --help         print this text`;

class UsageError extends Error {}

async function main(argv) {
  const { values, positionals } = readOptions(argv);
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const [file, sql] = positionals;
  const expected = values.schema ? 1 : 2;
  if (positionals.length !== expected)
    throw new UsageError(
      `expected ${values.schema ? 'a file' : 'a file and one statement'}, got ${positionals.length} arguments`,
    );
  const limit = readLimit(values.limit);
  const query = values.schema ? undefined : { sql, values: bindValues(readStatement(sql), readParams(values.params)) };
  const database = await openDatabase(file);
  try {
    const answer = query === undefined ? readSchema(database) : readRows(database, query, limit);
    const toText = query === undefined ? schemaText : rowsText;
    process.stdout.write(values.json ? `${JSON.stringify(answer, null, 2)}\n` : toText(answer));
  } finally {
    database.close();
  }
}

function readOptions(argv) {
  const flag = { type: 'boolean', default: false };
  try {
    return parseArgs({
      args: argv,
      allowPositionals: true,
      options: { schema: flag, params: { type: 'string' }, limit: { type: 'string' }, json: flag, help: flag },
    });
  } catch (cause) {
    throw new UsageError(cause.message, { cause });
  }
}

function readLimit(given) {
  if (given === undefined) return DEFAULT_LIMIT;
  const limit = Number(given);
  if (!/^\d{1,5}$/.test(given) || limit < 1 || limit > 10_000)
    throw new UsageError(`--limit needs a whole number from 1 to 10000, not "${given}"`);
  return limit;
}

function readParams(given) {
  if (given === undefined) return undefined;
  try {
    return JSON.parse(given);
  } catch (cause) {
    throw new UsageError(`--params needs JSON, such as ["open", 10]: ${cause.message}`, { cause });
  }
}

async function openDatabase(file) {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new Error(`there is no file ${file}`);
  if (!found.isFile()) throw new Error(`${file} is not a file`);
  // Older releases of Node.js warn that their SQLite is experimental, which no user of this skill can change.
  process.removeAllListeners('warning');
  const { DatabaseSync } = await import('node:sqlite');
  return new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
}

function readRows(database, { sql, values }, limit) {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  const columns = statement.columns().map(({ name }) => name);
  statement.setReturnArrays(true);
  const rows = [];
  let truncated = false;
  for (const row of statement.iterate(...values)) {
    truncated = rows.length === limit;
    if (truncated) break;
    rows.push(row.map(toCell));
  }
  return { columns, rows, row_count: rows.length, truncated };
}

function readSchema(database) {
  const tables = database
    .prepare(
      "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .all();
  return tables.map(({ name, type }) => ({
    name,
    type,
    columns: orNull(() => columnsOf(database, name)) ?? [],
    rows: type === 'table' ? orNull(() => countRows(database, name)) : null,
  }));
}

/** Views of dropped tables, and tables of missing modules, are listed too. */
function orNull(read) {
  try {
    return read();
  } catch {
    return null;
  }
}

function columnsOf(database, table) {
  const columns = database.prepare('SELECT name, type, pk FROM pragma_table_xinfo(?)').all(table);
  return columns.map(({ name, type, pk }) => ({ name, type, primary_key: pk > 0 }));
}

function countRows(database, table) {
  return database.prepare(`SELECT count(*) AS count FROM "${table.replaceAll('"', '""')}"`).get().count;
}

function toCell(value) {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Uint8Array) return `[binary, ${value.length} bytes]`;
  if (typeof value === 'string' && value.length > MAX_TEXT) return `${value.slice(0, MAX_TEXT).toWellFormed()}…`;
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}

function rowsText({ columns, rows, row_count: count, truncated }) {
  const cells = [columns, ...rows].map((row) => row.map(shownCell));
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index].length)));
  const lines = cells.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index]))
      .join('  ')
      .trimEnd(),
  );
  const amount = count === 1 ? '1 row' : `${count} rows`;
  return `${[...lines, '', truncated ? `Stopped after ${amount}: there are more.` : amount].join('\n')}\n`;
}

function shownCell(value) {
  const text = String(value ?? 'NULL').replaceAll(/\s+/g, ' ');
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL - 1).toWellFormed()}…` : text;
}

function schemaText(tables) {
  if (tables.length === 0) return 'The database has no tables.\n';
  const lines = tables.flatMap(({ name, type, columns, rows }) => [
    `${type} ${name}${rows === null ? '' : ` (${rows === 1 ? '1 row' : `${rows} rows`})`}`,
    ...columns.map((column) =>
      `  ${column.name} ${column.type}${column.primary_key ? ' (primary key)' : ''}`.trimEnd(),
    ),
  ]);
  return `${lines.join('\n')}\n`;
}

process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error; // The reader, `head` for instance, has seen enough.
});
try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`query.mjs: ${error.message}${error instanceof UsageError ? `\n\n${USAGE}` : ''}`);
  process.exitCode = 2;
}
