import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { WIRE_FORMATS } from '../../../packages/skillwright/src/spec/wire.ts';

const repository = new URL('../../../', import.meta.url);
const FILES = 'index fields request response reader writer patch text whole history results'.split(' ');

it.each(WIRE_FORMATS)('the folder of %s has the files that every format has', (format) => {
  const folder = new URL(`packages/skillwright/src/wire/${format}/`, repository);
  expect(FILES.filter((name) => !existsSync(new URL(`${name}.ts`, folder)))).toEqual([]);
});

it('AGENTS.md names the files that every format has', () => {
  const page = readFileSync(new URL('AGENTS.md', repository), 'utf8');
  expect(page.replaceAll(/\([^)]*\)|[\s,]+/g, ' ').replaceAll(/ +/g, ' ')).toContain(FILES.join(' '));
});
