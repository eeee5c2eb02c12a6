import { GatewayError } from '../spec/gateway-error.ts';

/** The largest input as JSON in UTF-8. A handler's output has the same limit. */
const MAX_INPUT_BYTES = 4_194_304;
/** The most values in an input, nested ones included: a million small values cost more than their bytes. */
const MAX_INPUT_VALUES = 200_000;

/** Measures an input. Throws `InputTooLarge`, or `InvalidInput` for a value that JSON cannot represent. */
export function measureInput(input: unknown): number {
  assertValues(input);
  const bytes = Buffer.byteLength(JSON.stringify(input ?? {}) ?? '');
  if (bytes > MAX_INPUT_BYTES)
    throw new GatewayError(
      'InputTooLarge',
      `The input has ${bytes} bytes as JSON, more than the limit of ${MAX_INPUT_BYTES}.`,
      {
        data: { bytes, most: MAX_INPUT_BYTES },
      },
    );
  return bytes;
}

function assertValues(input: unknown): void {
  const waiting = [input];
  let values = 0;
  while (waiting.length > 0) {
    const value = waiting.pop();
    values += 1;
    // Refuse numbers that overflowed to infinity, because JSON would write them as null.
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new GatewayError('InvalidInput', 'The input has a number that is too large for JSON.');
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) waiting.push(inner);
    if (values + waiting.length > MAX_INPUT_VALUES)
      throw new GatewayError('InputTooLarge', `The input has more than ${MAX_INPUT_VALUES} values, the limit.`, {
        data: { most: MAX_INPUT_VALUES },
      });
  }
}
