import { GatewayError } from '../spec/gateway-error.ts';

/** Of an input as JSON, in UTF-8: as much as a handler may answer. */
const MAX_INPUT_BYTES = 4_194_304;

/** How large an input is. Throws `InputTooLarge`, and `InvalidInput` for what JSON cannot say. */
export function measureInput(input: unknown): number {
  const text = JSON.stringify(input ?? {}) ?? '';
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_INPUT_BYTES)
    throw new GatewayError('InputTooLarge', `The input takes ${bytes} bytes as JSON; ${MAX_INPUT_BYTES} are allowed.`, {
      data: { bytes, most: MAX_INPUT_BYTES },
    });
  // Numbers that are too large for one are written as null.
  if (text.includes('null') && hasEndlessNumber(input))
    throw new GatewayError('InvalidInput', 'The input has a number that is too large to be one.');
  return bytes;
}

function hasEndlessNumber(input: unknown): boolean {
  const waiting = [input];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'number' && !Number.isFinite(value)) return true;
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) waiting.push(inner);
  }
  return false;
}
