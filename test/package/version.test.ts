import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { VERSION } from '../../packages/skillwright/src/index.ts';
import manifest from '../../packages/skillwright/package.json' with { type: 'json' };
import gateway from '../../packages/gateway/package.json' with { type: 'json' };
import root from '../../package.json' with { type: 'json' };
import { proves } from '../proves.ts';

it('there is one version, which code can read and the command shows', () => {
  proves('S2.DR-1.2.single-version', 'S2.DR-6.3.programmatic');
  const cli = fileURLToPath(new URL('../../packages/skillwright/src/cli.ts', import.meta.url));
  expect(VERSION).toBe(manifest.version);
  expect(root.version).toBe(VERSION);
  expect(gateway.version).toBe(VERSION);
  expect(gateway.dependencies.skillwright).toBe(VERSION);
  expect(gateway.dependencies.zod).toBe(manifest.dependencies.zod);
  expect(execFileSync(process.execPath, [cli, '--version'], { encoding: 'utf8' }).trim()).toContain(VERSION);
});
