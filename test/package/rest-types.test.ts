import { expect, it } from 'vitest';
import { renderRestTypes } from '../../scripts/rest-type-file.ts';
import { readText } from './structure/source-files.ts';

it("the command line's types of REST responses match the output of `npm run rest:types`", () => {
  expect(readText('packages/skillwright/src/surfaces/cli/gateway/client/rest-types.ts')).toBe(renderRestTypes());
});
