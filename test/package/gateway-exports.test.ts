import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from './structure/source-files.ts';

const run = promisify(execFile);
const cache = join(repository, 'node_modules/.cache');

/** Packages of their own, as an install would lay them out, so that tests never meet a build that is old or in use. */
let built: string;

async function build(name: string, target: string): Promise<void> {
  const folder = join(repository, 'packages', name);
  mkdirSync(target, { recursive: true });
  cpSync(join(folder, 'package.json'), join(target, 'package.json'));
  const tsdown = join(repository, 'node_modules/tsdown/dist/run.mjs');
  await run(process.execPath, [tsdown, '--out-dir', join(target, 'dist'), '--logLevel', 'error'], { cwd: folder });
}

beforeAll(async () => {
  mkdirSync(cache, { recursive: true });
  built = mkdtempSync(join(cache, 'gateway-'));
  await build('skillwright', join(built, 'node_modules/skillwright'));
  await build('gateway', join(built, 'gateway'));
}, 120_000);

afterAll(() => rmSync(built, { recursive: true, force: true }));

const VALUES = ['CONFIG_NAME', 'GatewayError', 'createGateway', 'readConfig', 'serve'];

const TYPES = `
  ApiKey ApiKeyTable Approval ApprovalScope ApprovalStatus ApprovalSubject Approvals AttemptEnd AttemptQueries
  ConfirmConfig CreatedKey Environment ExecutionEnd ExecutionEvent ExecutionFilter ExecutionRequest ExecutionStatus ExecutionTable
  Executor FinalStatus Gateway FoundConfig FoundConfigRule GatewayConfig GatewayConfigInput GatewayErrorCode GatewayErrorOptions GatewayLimits
  GatewayLog GatewayOptions GatewaySettings Handler HandlerContext HandlerOptions HandlerSkill Handlers KeyRequest
  KeyRing LedgerEntry LedgerTable NewApiKey NewExecution NewSkill Page PageRequest ReadConfig ReadConfigOptions
  RegisteredKind RegisteredMode RegisteredPolicy RegisteredSkill Registry RegistryView RunningGateway Scope
  ServeOptions Settings SkillChange SkillFilter SkillOrigin SkillSchemas SourceProvider Store StoreTables
  StoredAttempt StoredExecution StoredTrace StoredTraceEvent SyncReport TraceFilter TraceSummary TraceTable
  UpstreamConfig
`;

describe('the built gateway', () => {
  it('exports these values and no others, serves, and leaves nothing behind', async () => {
    const program = `
      const gateway = await import(${JSON.stringify(pathToFileURL(join(built, 'gateway/dist/index.mjs')).href)});
      const running = await gateway.serve({ cwd: ${JSON.stringify(built)}, env: {}, overrides: { port: 0, logLevel: 'silent' } });
      const { status } = await fetch(running.url + '/health', { headers: { connection: 'close' } });
      const script = await fetch(running.url + '/docs/page.js', { headers: { connection: 'close' } });
      const text = await script.text();
      await running.close();
      console.log(JSON.stringify({ names: Object.keys(gateway).sort(), status, script: script.status, text }));
    `;
    const { stdout, stderr } = await run(process.execPath, ['--no-warnings', '--input-type=module', '--eval', program]);
    expect(stderr).toBe('');
    const text = readFileSync(join(built, 'gateway/dist/docs-page.mjs'), 'utf8');
    expect(text).not.toMatch(/^(?:import|export) /m);
    expect(JSON.parse(stdout)).toEqual({ names: VALUES, status: 200, script: 200, text });
  });

  it('leaves the dispatcher of the process’s fetch alone', async () => {
    const program = `
      const dispatchers = () => [1, 2].map((number) => globalThis[Symbol.for('undici.globalDispatcher.' + number)]);
      // Node makes its own when its classes are first used.
      await fetch('data:,').then((response) => response.text());
      const before = dispatchers();
      await import(${JSON.stringify(pathToFileURL(join(built, 'gateway/dist/index.mjs')).href)});
      console.log(before.some((one) => one !== undefined), dispatchers().every((one, place) => one === before[place]));
    `;
    const { stdout } = await run(process.execPath, ['--no-warnings', '--input-type=module', '--eval', program]);
    expect(stdout.trim()).toBe('true true');
  });

  it('declares these types besides, and no others', () => {
    const declarations = readFileSync(join(built, 'gateway/dist/index.d.mts'), 'utf8');
    const [, list = ''] = /^export \{([^}]*)\};\s*$/m.exec(declarations) ?? [];
    const names = list.split(',').map((item) => item.trim().replace(/^.* as |^type /, ''));
    expect(names.map((name) => name.replace(/^type /, '')).sort()).toEqual(
      [...VALUES, ...TYPES.split(/\s+/).filter(Boolean)].sort(),
    );
  });

  it('imports its dependencies, the library among them, instead of carrying them', () => {
    const code = readFileSync(join(built, 'gateway/dist/index.mjs'), 'utf8');
    for (const name of ['hono', 'kysely', 'pino', 'skillwright', 'zod']) expect(code).toContain(`from "${name}";`);
  });
});
