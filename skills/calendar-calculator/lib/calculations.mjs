import {
  addMonths,
  assertDayNumber,
  dayOfYear,
  daysInMonth,
  formatDate,
  fromDayNumber,
  isLeapYear,
  isoWeek,
  parseDate,
  shown,
  toDayNumber,
  WEEKDAYS,
  weekdayIndex,
} from './gregorian.mjs';

const MAX_STEP = 4_000_000;
const MAX_HOLIDAYS = 10_000;

export function dateDifference(args) {
  const { start, end } = asObject(args);
  const from = parseDate(start, 'start');
  const to = parseDate(end, 'end');
  const days = toDayNumber(to) - toDayNumber(from);
  const [earlier, later] = days < 0 ? [to, from] : [from, to];
  let months = (later.year - earlier.year) * 12 + later.month - earlier.month;
  // A whole month has passed only once the (clamped) day of the month is reached again.
  if (toDayNumber(addMonths(earlier, months)) > toDayNumber(later)) months -= 1;
  return {
    start: formatDate(from),
    end: formatDate(to),
    days,
    days_counting_both_ends: Math.abs(days) + 1,
    direction: days === 0 ? 'same' : days > 0 ? 'forward' : 'backward',
    weeks_and_days: { weeks: Math.floor(Math.abs(days) / 7), days: Math.abs(days) % 7 },
    calendar: {
      years: Math.floor(months / 12),
      months: months % 12,
      days: toDayNumber(later) - toDayNumber(addMonths(earlier, months)),
    },
  };
}

export function addToDate(args) {
  const given = asObject(args);
  const date = parseDate(given.date, 'date');
  const units = ['years', 'months', 'weeks', 'days'];
  if (units.every((unit) => given[unit] === undefined || given[unit] === null)) {
    throw new TypeError(`Give at least one of ${units.map((unit) => `"${unit}"`).join(', ')}.`);
  }
  const [years, months, weeks, days] = units.map((unit) => wholeNumber(given[unit] ?? 0, unit));
  const moved = addMonths(date, years * 12 + months);
  const result = fromDayNumber(toDayNumber(moved) + weeks * 7 + days);
  return {
    date: formatDate(date),
    result: formatDate(result),
    weekday: weekdayName(toDayNumber(result)),
    clamped_to_month_end: moved.day !== date.day,
  };
}

export function weekdayOf(args) {
  const date = parseDate(asObject(args).date, 'date');
  const dayNumber = toDayNumber(date);
  const week = isoWeek(date);
  return {
    date: formatDate(date),
    weekday: weekdayName(dayNumber),
    iso_weekday: weekdayIndex(dayNumber) + 1,
    iso_week: week.week,
    iso_week_year: week.year,
    day_of_year: dayOfYear(date),
    quarter: Math.ceil(date.month / 3),
    days_in_month: daysInMonth(date.year, date.month),
    leap_year: isLeapYear(date.year),
  };
}

/** Counts business days from `start` to `end`, or finds the date `add` business days away from `start`. */
export function businessDays(args) {
  const given = asObject(args);
  const counts = given.end !== undefined && given.end !== null;
  const moves = given.add !== undefined && given.add !== null;
  if (counts === moves) throw new TypeError('Give exactly one of "end" (to count) and "add" (to find a date).');
  const start = toDayNumber(parseDate(given.start, 'start'));
  const rules = { weekend: readWeekend(given.weekend), holidays: readHolidays(given.holidays) };
  return counts ? countBusinessDays(start, given.end, rules) : moveBusinessDays(start, given.add, rules);
}

function countBusinessDays(start, endText, rules) {
  const end = toDayNumber(parseDate(endText, 'end'));
  if (end < start) throw new RangeError('"end" must not be before "start"; swap them.');
  const tally = { business_days: 0, weekend_days: 0, holidays: [] };
  for (let day = start; day <= end; day += 1) tallyDay(day, rules, tally);
  return {
    start: formatDate(fromDayNumber(start)),
    end: formatDate(fromDayNumber(end)),
    calendar_days: end - start + 1,
    ...tally,
  };
}

function moveBusinessDays(start, add, rules) {
  const steps = wholeNumber(add, 'add');
  const direction = Math.sign(steps);
  const tally = { business_days: 0, weekend_days: 0, holidays: [] };
  let day = start;
  while (tally.business_days < Math.abs(steps)) {
    day += direction;
    assertDayNumber(day);
    tallyDay(day, rules, tally);
  }
  return {
    start: formatDate(fromDayNumber(start)),
    add: steps,
    result: formatDate(fromDayNumber(day)),
    weekday: weekdayName(day),
    weekend_days: tally.weekend_days,
    holidays: direction < 0 ? tally.holidays.toReversed() : tally.holidays,
  };
}

/** A holiday on a weekend counts as a weekend day only. */
function tallyDay(day, { weekend, holidays }, tally) {
  if (weekend.has(weekdayIndex(day))) tally.weekend_days += 1;
  else if (holidays.has(day)) tally.holidays.push(formatDate(fromDayNumber(day)));
  else tally.business_days += 1;
}

function readWeekend(names) {
  const list = names ?? ['saturday', 'sunday'];
  if (!Array.isArray(list)) throw new TypeError('"weekend" must be a list of weekday names.');
  const indices = list.map((name) => {
    const index = typeof name === 'string' ? WEEKDAYS.indexOf(name.toLowerCase()) : -1;
    if (index < 0) throw new RangeError(`"weekend" holds ${shown(name)}; use English names such as "friday".`);
    return index;
  });
  if (new Set(indices).size === 7) throw new RangeError('"weekend" leaves no business day in the week.');
  return new Set(indices);
}

function readHolidays(dates) {
  const list = dates ?? [];
  if (!Array.isArray(list)) throw new TypeError('"holidays" must be a list of dates written YYYY-MM-DD.');
  if (list.length > MAX_HOLIDAYS) throw new RangeError(`"holidays" may have at most ${MAX_HOLIDAYS} dates.`);
  return new Set(list.map((date, index) => toDayNumber(parseDate(date, `holidays[${index}]`))));
}

function wholeNumber(value, name) {
  if (!Number.isInteger(value) || Math.abs(value) > MAX_STEP) {
    throw new RangeError(`"${name}" must be a whole number from -${MAX_STEP} to ${MAX_STEP}, not ${shown(value)}.`);
  }
  return value;
}

function asObject(args) {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) {
    throw new TypeError('Expected an object with the parameters of the tool.');
  }
  return args;
}

function weekdayName(dayNumber) {
  const name = WEEKDAYS[weekdayIndex(dayNumber)];
  return name[0].toUpperCase() + name.slice(1);
}
