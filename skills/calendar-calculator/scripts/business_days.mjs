import { businessDays } from '../lib/calculations.mjs';

/** Tool handler of `business_days`. */
export default async function handler(args) {
  return businessDays(args);
}
