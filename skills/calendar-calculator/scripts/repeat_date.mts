import { addToDate } from '../lib/calculations.mjs';

interface RepeatDateArguments {
  date: string;
  count: number;
  years?: number;
  months?: number;
  weeks?: number;
  days?: number;
}

interface RepeatedDate {
  date: string;
  weekday: string;
  clamped_to_month_end: boolean;
}

const MAX_COUNT = 1000;
const UNITS = ['years', 'months', 'weeks', 'days'] as const;

/** Tool handler of `repeat_date`. Every date is counted from the first, so that a month's end does not creep forward. */
export default async function handler(args: RepeatDateArguments): Promise<{ dates: RepeatedDate[] }> {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) {
    throw new TypeError('Expected an object with the parameters of the tool.');
  }
  const { date, count } = args;
  if (!Number.isInteger(count) || count < 1 || count > MAX_COUNT) {
    throw new RangeError(`"count" must be a whole number from 1 to ${MAX_COUNT}.`);
  }
  const step = UNITS.filter((unit) => args[unit] !== undefined).map((unit) => [unit, args[unit]] as const);
  if (step.every(([, size]) => size === 0)) {
    throw new RangeError('Say how often it repeats: at least one of "years", "months", "weeks" and "days", not 0.');
  }
  const dates = Array.from({ length: count }, (_, index) => {
    // addToDate refuses a value that is not a whole number, and quotes it.
    const times = step.map(([unit, size]) => [unit, Number.isInteger(size) ? Number(size) * index : size]);
    const { result, weekday, clamped_to_month_end } = addToDate({ date, ...Object.fromEntries(times) });
    return { date: result, weekday, clamped_to_month_end };
  });
  return { dates };
}
