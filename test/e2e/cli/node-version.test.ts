import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CliResult, repository } from './cli-runner.ts';

const bin = join(repository, 'packages/skillwright/bin/skillwright.mjs');

/** Starts the installed command in a Node that claims to be this version. */
function runOn(version: string, ...args: string[]): CliResult {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`;
  const words = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, bin, ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 20_000 });
  return { code: status, stdout, stderr };
}

describe('the command on an unsupported Node', () => {
  it.each(['18.20.0', '20.20.2', '22.18.9'])('reports it before anything else: %s', (version) => {
    for (const args of [[], ['list'], ['run', 'kit', 'x.sh'], ['call', 'x'], ['--version']]) {
      const { code, stdout, stderr } = runOn(version, ...args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(
        /^error: skillwright needs Node 22\.19 or later, and this is Node [\d.]+ \(.+\)\.\n {2}\S/,
      );
      expect(stderr).toContain(version);
    }
  });

  it('reports it as JSON with --json', () => {
    const { code, stdout, stderr } = runOn('20.20.2', 'list', '--json');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'NodeTooOld', data: { found: '20.20.2' } } });
  });

  it('agrees with the package about the supported versions', () => {
    const text = readFileSync(join(repository, 'packages/skillwright/package.json'), 'utf8');
    const { engines } = JSON.parse(text) as { engines: { node: string } };
    expect(engines.node).toBe('>=22.19');
  });
});
