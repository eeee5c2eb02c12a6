import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openGuards, type OpenGuards } from '../../../packages/gateway/src/builtins/guards.ts';
import type { GatewayConfigInput } from '../../../packages/gateway/src/config/config.ts';
import { checkConfig } from '../../../packages/gateway/src/config/schema.ts';
import type { HandlerContext } from '../../../packages/gateway/src/executions/executor.ts';
import { createWorkspaces } from '../../../packages/gateway/src/executions/workspaces.ts';
import { readBehaviour, type SourceFile } from '../../package/structure/source-files.ts';
import { proves } from '../../proves.ts';
import { startServer } from '../../security/network/server.ts';
import { openBuiltIns } from './built-ins.ts';
import { makeDataDirectory } from '../store/data-directory.ts';

/** The files that implement guards, and the one dangerous import that each may use. */
const GUARDS: Readonly<Record<string, RegExp>> = {
  'guards.ts': /^(?:createHttpClient|createProgramRunner)$/,
  // Reaches the web search, whose address only the operator chooses.
  'create-built-ins.ts': /^createHttpClient$/,
  'workspace/workspace-files.ts': /^node:fs/,
  // Enforce workspace quotas: they measure usage, remove files, and find files that programs hold open.
  'workspace/workspace-walk.ts': /^node:fs\/promises$/,
  'workspace/workspace-bin.ts': /^node:fs\/promises$/,
  'workspace/usage-watch.ts': /^node:(?:fs|timers)\/promises$/,
  'workspace/held-directory.ts': /^node:fs/,
  'sandboxed-scripts.ts': /^node:fs/,
  'browser/browser-proxy.ts': /^(?:node:fs\/promises|node:net|createEgressProxy)$/,
  // Loads the package of the browser, which reaches the network only through its proxy.
  'browser/browser.ts': /^import\(name\)$/,
};

/** Modules that cannot read, write, send or start anything. */
const HARMLESS = /^node:(?:buffer|crypto|events|os|path|url|util)$/;
const IMPORT = /^import\s+(type\s+)?(\{[^}]*\}|\* as \w+|\w+)?\s*(?:from\s*)?'([^']+)'/gm;
const GLOBALS =
  /(?<![.\w])(?:fetch|WebSocket|EventSource|eval|Function|require)(?=\()|\bprocess\.(?:binding|dlopen|kill|env)\b|\bimport\(\w+\)/g;

/** Every unguarded import of a file that reaches the network, files or processes. */
function waysOut(text: string): string[] {
  const code = text.replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, '');
  const imported = [...code.matchAll(IMPORT)].flatMap(([, isType, names = '', from = '']) => {
    if (isType !== undefined) return [];
    const values = names
      .replaceAll(/[{}]/g, '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type '));
    if (from === 'node:http' && values.join() === 'STATUS_CODES') return [];
    if (from.startsWith('node:')) return HARMLESS.test(from) || values.length === 0 ? [] : [from];
    return /^skillwright(?:\/|$)/.test(from) ? values.filter((name) => !/^\w+Error$/.test(name)) : [];
  });
  return [...imported, ...[...code.matchAll(GLOBALS)].map(([use]) => use)];
}

function checkBuiltIns(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const name = path.slice(folder.length);
    return waysOut(text).flatMap((way) => (GUARDS[name]?.test(way) === true ? [] : [`${name}: ${way}`]));
  });
}

const folder = 'packages/gateway/src/builtins/';
const files = readBehaviour().filter(({ path }) => path.startsWith(folder));

describe('the sources of the built-ins', () => {
  it('reach the network, files and programs only through the guards', () => {
    proves('S4.dev.guards');
    expect(files.filter(({ text }) => text.includes('defineBuiltIn({')).length).toBeGreaterThan(4);
    expect(checkBuiltIns(files)).toEqual([]);
  });

  it('exempt only files that need it', () => {
    const needed = files.filter(({ text }) => waysOut(text).length > 0).map(({ path }) => path.slice(folder.length));
    expect(needed.sort()).toEqual(Object.keys(GUARDS).sort());
  });

  it.each([
    ["import { readFile } from 'node:fs/promises';", 'node:fs/promises'],
    ["import {\n  request,\n} from 'node:https';", 'node:https'],
    ["import http from 'node:http';", 'node:http'],
    ["import { STATUS_CODES, request } from 'node:http';", 'node:http'],
    ["import { spawn } from 'node:child_process';", 'node:child_process'],
    ["import { Worker } from 'node:worker_threads';", 'node:worker_threads'],
    ["import { createHttpClient, type HttpClient } from 'skillwright';", 'createHttpClient'],
    ["import { createProgramRunner } from 'skillwright/host';", 'createProgramRunner'],
    ['const answer = await fetch(url);', 'fetch'],
    ['const { key } = process.env;', 'process.env'],
    ["const name = 'node:fs';\nawait import(name);", 'import(name)'],
  ])('are reported if they contain %j', (text, way) => {
    expect(checkBuiltIns([{ path: `${folder}new-built-in.ts`, text }])).toEqual([`new-built-in.ts: ${way}`]);
  });

  it.each([
    "import type { HttpClient } from 'skillwright';",
    "import { type Stats } from 'node:fs';",
    "import { STATUS_CODES } from 'node:http';",
    "import { join } from 'node:path';\n// fetch(url)",
    'const answer = await guards.request(url);',
  ])('may use %j', (text) => {
    expect(checkBuiltIns([{ path: `${folder}new-built-in.ts`, text }])).toEqual([]);
  });
});

/** Opens the guards that a new built-in would get from this configuration. */
function open(config: GatewayConfigInput = {}): OpenGuards {
  const data = makeDataDirectory();
  const { data: checked, error } = checkConfig({ data, ...config });
  if (checked === undefined) throw error;
  const env = { PATH: process.env['PATH'] ?? '' };
  const guards = openGuards({ config: checked, env, workspaceOf: createWorkspaces(data) });
  onTestFinished(() => guards.close());
  return guards;
}

function contextOf(apiKeyId: string): HandlerContext {
  const signal = new AbortController().signal;
  return { executionId: `guarded-${process.pid}-${apiKeyId}`, apiKeyId, sessionId: null, signal, onOutput: () => {} };
}

const SCRIPT = { file: 'command.sh', text: 'echo out', args: [], timeoutMs: 5_000, networkEnabled: false };

describe('the guards of every built-in', () => {
  it('send requests only to public hosts and to hosts that the operator allows', async () => {
    proves('S4.dev.guards');
    const { authority, connections } = await startServer((_request, response) => response.end('inside'));
    await expect(open().request(`http://${authority}/`)).rejects.toMatchObject({ code: 'AddressNotAllowed' });
    expect(connections()).toBe(0);
    const allowed = open({ builtins: { allowHosts: ['127.0.0.1'] } });
    expect(await (await allowed.request(`http://${authority}/`)).text()).toBe('inside');
  });

  it.each(['Host', 'connection', 'content-length', 'COOKIE', 'set-cookie', 'Authorization ', 'proxy-authorization'])(
    'never send the header %j',
    async (name) => {
      proves('S4.dev.guards');
      const { authority, connections } = await startServer((_request, response) => response.end());
      const guards = open({ builtins: { allowHosts: ['127.0.0.1'] } });
      await expect(guards.request(`http://${authority}/`, { headers: { [name]: 'x' } })).rejects.toMatchObject({
        code: 'InvalidInput',
        data: { headers: [name] },
      });
      expect(connections()).toBe(0);
    },
  );

  it('give programs a proxy that reaches only those hosts, too', async () => {
    proves('S4.dev.guards');
    const { authority, connections } = await startServer((_request, response) => response.end('inside'));
    const proxy = await open().openProxy();
    onTestFinished(() => proxy.close());
    const status = await new Promise((resolve, reject) => {
      const sent = request(proxy.url, { path: `http://${authority}/` }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.once('error', reject).end();
    });
    expect({ status, denied: proxy.denials.map(({ target }) => target) }).toEqual({ status: 403, denied: [authority] });
    expect(connections()).toBe(0);
  });

  it('give access only to the caller’s own workspace', async () => {
    proves('S4.dev.guards');
    const { workspace } = open();
    const note = { path: 'notes/a.txt', content: Buffer.from('mine'), append: false, overwrite: true };
    await workspace.write(contextOf('one'), note);
    expect((await workspace.read(contextOf('one'), 'notes/a.txt')).toString()).toBe('mine');
    await expect(workspace.read(contextOf('two'), 'notes/a.txt')).rejects.toMatchObject({
      code: 'WorkspaceFileUnusable',
    });
    for (const path of ['../other', '/etc/passwd', 'notes/../../x', '.env', '.ssh/id'])
      await expect(workspace.read(contextOf('one'), path)).rejects.toMatchObject({ code: 'WorkspacePathRefused' });
  });

  it('run nothing with network access that the operator does not allow', async () => {
    proves('S4.dev.guards');
    await expect(open().run({ ...SCRIPT, networkEnabled: true }, contextOf('one'))).rejects.toMatchObject({
      code: 'InvalidInput',
      data: { setting: 'builtins.sandboxNetworkEnabled' },
    });
  });

  it.skipIf(process.platform === 'win32')('run nothing in an image that is not allowed', async () => {
    proves('S4.dev.guards');
    const { log } = installEngine();
    const container = { engine: 'docker', image: 'evil/image:1' } as const;
    const { run } = open({ builtins: { minIsolation: 'container' }, sandbox: { container } });
    await expect(run(SCRIPT, contextOf('one'))).rejects.toMatchObject({
      code: 'SandboxUnavailable',
      message: expect.stringContaining("'evil/image:1' is not allowed") as string,
    });
    expect(existsSync(log)).toBe(true);
    expect(readFileSync(log, 'utf8')).not.toMatch(/evil|^(?:run|create|pull)\b/m);
  });

  it.skipIf(process.platform === 'win32')('give a container the configured CPU limit', async () => {
    const { log } = installEngine();
    const container = { engine: 'docker', cpuLimit: 250 } as const;
    const { run } = open({ builtins: { minIsolation: 'container' }, sandbox: { container } });
    // The result does not matter, because this fake engine starts nothing.
    await run(SCRIPT, contextOf('one')).catch(() => undefined);
    expect(readFileSync(log, 'utf8')).toMatch(/^(?:run|create) .*--cpus 0\.25 /m);
  });
});

describe('a built-in that starts a program', () => {
  it('gives the browser the proxy, and saves screenshots in the workspace', async () => {
    proves('S4.dev.guards');
    const launched: unknown[] = [];
    const { call } = openBuiltIns({ loadPlaywright: async () => fakePlaywright(launched) });
    const steps = [{ action: 'screenshot', path: 'pictures/a.png' }];
    expect(await call('browser', { url: 'https://example.org/', steps })).toMatchObject({
      success: true,
      title: 'Otters',
    });
    const server = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string;
    expect(launched).toMatchObject([{ proxy: { server, bypass: '<-loopback>' } }]);
    expect(await call('file_read', { path: 'pictures/a.png' })).toMatchObject({ content: 'picture' });
    const outside = [{ action: 'screenshot', path: '../a.png' }];
    await expect(call('browser', { url: 'https://example.org/', steps: outside })).rejects.toMatchObject({
      code: 'WorkspacePathRefused',
    });
  });
});

function fakePlaywright(launched: unknown[]): unknown {
  const page = {
    setDefaultTimeout: () => {},
    goto: async () => ({ status: () => 200 }),
    url: () => 'https://example.org/',
    title: async () => 'Otters',
    screenshot: async () => Buffer.from('picture'),
  };
  const browser = { newContext: async () => ({ newPage: async () => page }), close: async () => {} };
  const launch = async (options: unknown): Promise<unknown> => {
    launched.push(options);
    return browser;
  };
  return { chromium: { launch } };
}

/** Installs a fake docker that has every image and logs its arguments. */
function installEngine(): { readonly log: string } {
  const directory = mkdtempSync(join(tmpdir(), 'skillwright-engine-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const log = join(directory, 'log');
  const facts = { ServerVersion: '27.0.0', MemoryLimit: true, PidsLimit: true, CpuCfsQuota: true, SecurityOptions: [] };
  const program = `#!/bin/sh\necho "$@" >> '${log}'\ncase "$1" in
  info) echo '${JSON.stringify(facts)}';;
  image) echo sha256:abc; echo '[]';;
  run) echo /bin/sh; echo /bin/bash;;
esac
`;
  writeFileSync(join(directory, 'docker'), program);
  chmodSync(join(directory, 'docker'), 0o755);
  vi.stubEnv('PATH', `${directory}${delimiter}${process.env['PATH'] ?? ''}`);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  return { log };
}
