import { expect, it } from 'vitest';
import { WIRE_FORMATS } from '../spec/wire.ts';
import { wireFormat } from './format.ts';

it.each(WIRE_FORMATS)('finds the format %s by its name', (name) => {
  expect(wireFormat(name).name).toBe(name);
});
