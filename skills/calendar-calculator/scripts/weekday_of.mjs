import { weekdayOf } from '../lib/calculations.mjs';

/** Tool handler of `weekday_of`. */
export default async function handler(args) {
  return weekdayOf(args);
}
