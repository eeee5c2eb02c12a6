import { expect, it } from 'vitest';
import { renderRestTypes } from '../../scripts/rest-type-file.ts';
import { readText } from './structure/source-files.ts';

it("the command line's types of REST answers are what `npm run rest:types` writes", () => {
  expect(readText('packages/skillwright/src/surfaces/cli/gateway/client/rest-types.ts')).toBe(renderRestTypes());
});
