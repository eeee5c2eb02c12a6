import { dateDifference } from '../lib/calculations.mjs';

/** Tool handler of `date_difference`. */
export default async function handler(args) {
  return dateDifference(args);
}
