import { describe, expect, it } from 'vitest';
import { proves } from '../../proves.ts';
import { checkLayers, importsOf } from './layer-rules.ts';
import { readBehaviour } from './source-files.ts';

describe('the layers', () => {
  const files = readBehaviour();

  it('import only from layers above them', () => {
    proves('S2.DR-1.4.src-layout');
    expect(checkLayers(files)).toEqual([]);
    const paths = files.map(({ path }) => path);
    for (const name of ['skillwright', 'gateway']) expect(paths).toContain(`packages/${name}/src/index.ts`);
  });

  it('keep `agent/offer` independent of the sibling folders that answer calls', () => {
    const offer = files.filter(({ path }) => path.startsWith('packages/skillwright/src/agent/offer/'));
    expect(offer.length).toBeGreaterThan(3);
    const beside = offer.flatMap(({ text }) => importsOf(text)).filter((path) => /^\.\.\/(?!\.\.)/.test(path));
    expect(beside).toEqual([]);
  });

  it('are all checked', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(files.flatMap(({ text }) => importsOf(text)).length).toBeGreaterThan(files.length);
  });
});

/** An invented library: `path` is relative to its `src`, and every imported file exists. */
function check(path: string, text: string): string[] {
  const others = ['spec/a.ts', 'parse/a.ts', 'wire/a.ts', 'process/a.ts', 'sources/a.ts', 'catalog/a.ts', 'run/a.ts'];
  const more = ['record/a.ts', 'runtime.ts', 'faces/a.ts', 'surfaces/mcp/a.ts', 'adapters/a.ts', 'parse/deep/b.ts'];
  const files = [...others, ...more].filter((other) => other !== path).map((other) => ({ path: other, text: '' }));
  return checkLayers(
    [...files, { path, text }].map((file) => ({ ...file, path: `packages/skillwright/src/${file.path}` })),
  );
}

/** The same for an invented gateway. */
function checkGateway(path: string, text: string): string[] {
  const others = ['store/a.ts', 'ledger/a.ts', 'proxy/a.ts', 'parts.ts'].filter((other) => other !== path);
  const files = [...others.map((other) => ({ path: other, text: '' })), { path, text }];
  return checkLayers(files.map((file) => ({ ...file, path: `packages/gateway/src/${file.path}` })));
}

describe('the check', () => {
  it.each([
    ['parse/x.ts', "import type { A } from '../spec/a.ts';"],
    ['parse/x.ts', "import { a } from './deep/b.ts';\nimport { load } from 'js-yaml';"],
    ['sources/x.ts', "import { readFileSync } from 'node:fs';\nexport { a } from '../parse/a.ts';"],
    ['wire/x.ts', "import { a } from '../parse/a.ts';"],
    ['surfaces/cli/x.ts', "import { a } from '../../faces/a.ts';\nconst { env } = process;\nprocess.exit(1);"],
    ['index.ts', "export { a } from './faces/a.ts';"],
    ['sources/x.ts', '// process.env is not read\n/** nor is process.argv */\nexport const os = process.platform;'],
  ])('lets %s contain %j', (path, text) => {
    expect(check(path, text)).toEqual([]);
  });

  it.each([
    ['a lower layer', 'parse/x.ts', "import { a } from '../sources/a.ts';"],
    ['a type of a lower layer', 'spec/x.ts', "import type { A } from '../parse/a.ts';"],
    ['an export from a lower layer', 'catalog/x.ts', "export { a } from '../faces/a.ts';"],
    ['an import over several lines', 'parse/x.ts', "import {\n  a,\n  b,\n} from '../catalog/a.ts';"],
    ['a lazy import', 'run/x.ts', "const a = await import('../record/a.ts');"],
    ['an import for its effect', 'parse/x.ts', "import '../catalog/a.ts';"],
    ['the composition root from below', 'catalog/x.ts', "import { a } from '../runtime.ts';"],
    ['a neighbor on the same layer', 'net/x.ts', "import { a } from '../process/a.ts';"],
    ['more than spec in record', 'record/x.ts', "import { a } from '../parse/a.ts';"],
    ['another surface', 'surfaces/cli/x.ts', "import { a } from '../mcp/a.ts';"],
    ['a surface from the library', 'index.ts', "export { a } from './surfaces/mcp/a.ts';"],
    ['files in a pure layer', 'parse/x.ts', "import { readFileSync } from 'node:fs';"],
    ['file promises in a pure layer', 'select/x.ts', "import { open } from 'node:fs/promises';"],
    ['processes in a pure layer', 'policy/x.ts', "import { spawn } from 'node:child_process';"],
    ['a package in spec', 'spec/x.ts', "import { load } from 'js-yaml';"],
    ['a missing file', 'faces/x.ts', "import { a } from './gone.ts';"],
    ['a file outside the sources', 'faces/x.ts', "import { proves } from '../../../../test/proves.ts';"],
    ['a folder that is not a layer', 'extras/x.ts', 'export const a = 1;'],
    ['the environment', 'sources/x.ts', 'const home = process.env.HOME;'],
    ['the destructured environment', 'sources/x.ts', 'const { env } = process;'],
    ['the command line', 'faces/x.ts', 'const args = process.argv.slice(2);'],
    ['the working directory', 'sources/x.ts', 'const here = process.cwd();'],
    ['the end of the process', 'run/x.ts', 'process.exit(1);'],
    ['node:process', 'surfaces/cli/x.ts', "import { env } from 'node:process';"],
  ])('rejects %s', (_what, path, text) => {
    expect(check(path, text)).toHaveLength(1);
  });

  it('rejects files of another package', () => {
    const files = [
      { path: 'packages/gateway/src/app.ts', text: "import { a } from '../../skillwright/src/index.ts';" },
      { path: 'packages/skillwright/src/index.ts', text: '' },
    ];
    expect(checkLayers(files)).toEqual([expect.stringContaining('of another package')]);
  });

  it.each([
    ['proxy/x.ts', "import { a } from '../store/a.ts';\nimport { SkillwrightError } from 'skillwright';"],
    ['pages/x.ts', "import { a } from '../parts.ts';\nimport { b } from 'skillwright/wire';"],
    ['spec/x.ts', "import { SkillwrightError } from 'skillwright';"],
  ])('lets %s of the gateway contain %j', (path, text) => {
    expect(checkGateway(path, text)).toEqual([]);
  });

  it.each([
    ['a lower layer', 'store/x.ts', "import { a } from '../proxy/a.ts';"],
    ['a neighbor on the same layer', 'upstream/x.ts', "import { a } from '../ledger/a.ts';"],
    ['a folder that is not a layer', 'extras/x.ts', 'export const a = 1;'],
    ['internal files of the library', 'proxy/x.ts', "import { a } from 'skillwright/agent';"],
    ['its own package by name', 'proxy/x.ts', "import { a } from '@skillwright/gateway';"],
    ['a package in spec', 'spec/x.ts', "import { z } from 'zod';"],
    ['the environment', 'app.ts', 'const key = process.env.KEY;'],
  ])('rejects %s in the gateway', (_what, path, text) => {
    expect(checkGateway(path, text)).toHaveLength(1);
  });

  it.each(["import { serve } from '@skillwright/gateway';", "import { a } from 'skillwright';"])(
    'refuses %j in the library',
    (text) => {
      expect(check('faces/x.ts', text)).toHaveLength(1);
    },
  );

  it("lets the gateway's start read its environment", () => {
    expect(checkLayers([{ path: 'packages/gateway/src/serve.ts', text: 'export const env = process.env;' }])).toEqual(
      [],
    );
  });
});
