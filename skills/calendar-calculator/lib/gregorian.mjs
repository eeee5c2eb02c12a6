/**
 * Dates of the proleptic Gregorian calendar, years 0000 to 9999, as plain `{ year, month, day }` records and as day
 * numbers (0 is 0000-01-01, a Saturday). No time of day, no time zone, no use of the clock.
 */

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const LAST_DAY_NUMBER = daysBeforeYear(10_000) - 1;

export function isLeapYear(year) {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

export function daysInMonth(year, month) {
  return month === 2 && isLeapYear(year) ? 29 : MONTH_LENGTHS[month - 1];
}

/** Reads `YYYY-MM-DD`; throws a TypeError or RangeError that names the parameter. */
export function parseDate(value, name) {
  if (value === undefined || value === null) throw new TypeError(`"${name}" is missing; write it YYYY-MM-DD.`);
  const match = typeof value === 'string' ? /^(\d{4})-(\d{2})-(\d{2})$/.exec(value) : null;
  if (match === null) {
    throw new TypeError(`"${name}" must be a date written YYYY-MM-DD, not ${shown(value)}.`);
  }
  const [year, month, day] = match.slice(1).map(Number);
  if (month < 1 || month > 12) throw new RangeError(`"${name}" has no month ${month}: ${value}.`);
  if (day < 1 || day > daysInMonth(year, month)) {
    throw new RangeError(`"${name}" does not exist: ${value} (that month has ${daysInMonth(year, month)} days).`);
  }
  return { year, month, day };
}

export function formatDate({ year, month, day }) {
  return [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-');
}

export function dayOfYear({ year, month, day }) {
  let days = day;
  for (let earlier = 1; earlier < month; earlier += 1) days += daysInMonth(year, earlier);
  return days;
}

export function toDayNumber(date) {
  return daysBeforeYear(date.year) + dayOfYear(date) - 1;
}

export function assertDayNumber(dayNumber) {
  if (dayNumber < 0 || dayNumber > LAST_DAY_NUMBER) {
    throw new RangeError('The result is outside the years 0000 to 9999.');
  }
}

export function fromDayNumber(dayNumber) {
  assertDayNumber(dayNumber);
  // The mean year is a little longer than 365 days, so this guess is at most one year too late or too early.
  let year = Math.floor(dayNumber / 365.2425);
  while (daysBeforeYear(year) > dayNumber) year -= 1;
  while (daysBeforeYear(year + 1) <= dayNumber) year += 1;
  let day = dayNumber - daysBeforeYear(year) + 1;
  let month = 1;
  while (day > daysInMonth(year, month)) {
    day -= daysInMonth(year, month);
    month += 1;
  }
  return { year, month, day };
}

/** Moves by whole months; a day the target month lacks becomes its last day (31 January + 1 month = 28 February). */
export function addMonths(date, months) {
  const index = date.year * 12 + (date.month - 1) + months;
  const year = Math.floor(index / 12);
  const month = index - year * 12 + 1;
  if (year < 0 || year > 9999) throw new RangeError('The result is outside the years 0000 to 9999.');
  return { year, month, day: Math.min(date.day, daysInMonth(year, month)) };
}

/** 0 for Monday to 6 for Sunday. */
export function weekdayIndex(dayNumber) {
  return (dayNumber + 5) % 7;
}

/** ISO 8601: weeks start on Monday, and a week belongs to the year that holds its Thursday. */
export function isoWeek(date) {
  const dayNumber = toDayNumber(date);
  const thursday = dayNumber - weekdayIndex(dayNumber) + 3;
  // The Thursday may lie just outside the years this module converts; only its year is needed.
  let year = date.year;
  if (thursday < daysBeforeYear(year)) year -= 1;
  else if (thursday >= daysBeforeYear(year + 1)) year += 1;
  return { year, week: Math.floor((thursday - daysBeforeYear(year)) / 7) + 1 };
}

export function shown(value) {
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Days from 0000-01-01 to the first day of a year; year 0 is a leap year. */
function daysBeforeYear(year) {
  const last = year - 1;
  return year * 365 + Math.floor(last / 4) - Math.floor(last / 100) + Math.floor(last / 400) + 1;
}
