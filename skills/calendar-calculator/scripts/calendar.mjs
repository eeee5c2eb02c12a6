#!/usr/bin/env node
import { parseArgs } from 'node:util';

import { addToDate, businessDays, dateDifference, weekdayOf } from '../lib/calculations.mjs';

const USAGE = `Usage:
  calendar.mjs difference <start> <end>
  calendar.mjs add <date> [--years=N] [--months=N] [--weeks=N] [--days=N]
  calendar.mjs weekday <date>
  calendar.mjs business <start> <end> [--holiday=DATE ...] [--weekend=DAY ...]
  calendar.mjs business <start> --add=N [--holiday=DATE ...] [--weekend=DAY ...]

Dates are written YYYY-MM-DD. N may be negative, as in --days=-5. The answer is a JSON object.
Exits with 0 on success and 2 if the question is invalid.`;

const COMMANDS = {
  difference: {
    positionals: 2,
    options: [],
    run: ([start, end]) => dateDifference({ start, end }),
  },
  add: {
    positionals: 1,
    options: ['years', 'months', 'weeks', 'days'],
    run: ([date], values) =>
      addToDate({
        date,
        years: toNumber(values.years),
        months: toNumber(values.months),
        weeks: toNumber(values.weeks),
        days: toNumber(values.days),
      }),
  },
  weekday: {
    positionals: 1,
    options: [],
    run: ([date]) => weekdayOf({ date }),
  },
  business: {
    positionals: 2,
    options: ['add', 'holiday', 'weekend'],
    run: ([start, end], { add, holiday, weekend }) =>
      businessDays({ start, end, add: toNumber(add), holidays: holiday, weekend }),
  },
};

function toNumber(text) {
  if (text === undefined) return undefined;
  return /^[+-]?\d+$/.test(text) ? Number(text) : text; // The calculation refuses other text and quotes it as it was written.
}

function main(argv) {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      years: { type: 'string' },
      months: { type: 'string' },
      weeks: { type: 'string' },
      days: { type: 'string' },
      add: { type: 'string' },
      holiday: { type: 'string', multiple: true },
      weekend: { type: 'string', multiple: true },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return USAGE;
  const [name, ...dates] = positionals;
  if (name === undefined || !Object.hasOwn(COMMANDS, name)) {
    throw new TypeError(`Expected one of: ${Object.keys(COMMANDS).join(', ')}.`);
  }
  const command = COMMANDS[name];
  const stray = Object.keys(values).find((option) => !command.options.includes(option));
  if (stray !== undefined) throw new TypeError(`"${name}" has no option --${stray}.`);
  if (dates.length > command.positionals) {
    throw new TypeError(`"${name}" takes at most ${command.positionals} date(s).`);
  }
  return JSON.stringify(command.run(dates, values), null, 2);
}

try {
  console.log(main(process.argv.slice(2)));
} catch (error) {
  console.error(`calendar.mjs: ${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}
