import { addToDate } from '../lib/calculations.mjs';

/** Tool handler of `add_to_date`. */
export default async function handler(args) {
  return addToDate(args);
}
