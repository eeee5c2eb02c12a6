import { describe, expect, it } from 'vitest';
import { makeSkills, skillFiles } from './mcp-client.ts';
import { startServer } from './raw-server.ts';

describe('the MCP server survives', () => {
  it('lines that are not JSON, and JSON that is not a message', async () => {
    const server = startServer(['skills'], { cwd: makeSkills() });
    server.write('not json\n\n{"jsonrpc":\n[]\n"text"\n{"jsonrpc":"1.0","id":7,"method":"tools/list"}\n\u0000\u0001\n');
    expect((await server.initialize()).result).toBeDefined();
    server.write('{"jsonrpc":"2.0","id":{"a":1},"method":"tools/list"}\n');
    expect((await server.ask('tools/list')).result).toBeDefined();
  });

  it('unknown methods, and parameters of the wrong type', async () => {
    const server = startServer(['skills'], { cwd: makeSkills() });
    await server.initialize();
    expect((await server.ask('tools/destroy')).error?.code).toBe(-32_601);
    expect((await server.ask('resources/subscribe', { uri: 'skill://greet' })).error).toBeDefined();
    expect((await server.ask('tools/call', { name: 7 })).error?.code).toBe(-32_602);
    expect((await server.ask('tools/call', { name: 'add', arguments: 'text' })).error).toBeDefined();
    const answer = await server.ask('tools/call', { name: 'add', arguments: { a: { $ref: '#' }, b: null } });
    expect(answer.result).toMatchObject({ isError: true });
    expect((await server.ask('tools/list')).result).toBeDefined();
  });

  it('calls before initialize, and a revision that does not exist', async () => {
    const early = startServer(['skills'], { cwd: makeSkills() });
    const answer = await early.ask('tools/list');
    expect(answer.result ?? answer.error).toBeDefined();
    const odd = startServer(['skills'], { cwd: makeSkills() });
    const clientInfo = { name: 'odd', version: '1' };
    const { result } = await odd.ask('initialize', { protocolVersion: '1999-01-01', capabilities: {}, clientInfo });
    expect(result?.['protocolVersion']).toBe('2025-11-25');
  });

  it('tool names that every JavaScript object has as members, such as toString', async () => {
    const server = startServer(['skills'], { cwd: makeSkills() });
    await server.initialize();
    for (const name of ['__proto__', 'constructor', 'toString', '', 'x'.repeat(100_000)]) {
      const { error } = await server.ask('tools/call', { name, arguments: {} });
      expect(error?.code).toBe(-32_602);
      expect(error?.message.length).toBeLessThan(400);
    }
  });

  it('a call that is cancelled before, while and after it runs', async () => {
    const server = startServer(['skills'], { cwd: makeSkills() });
    await server.initialize();
    for (let id = 100; id < 200; id += 1) {
      server.send({ id, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: id } } });
      server.send({ method: 'notifications/cancelled', params: { requestId: id } });
    }
    server.send({ method: 'notifications/cancelled', params: { requestId: 'never sent' } });
    const { result } = await server.ask('tools/call', { name: 'add', arguments: { a: 1, b: 1 } });
    expect(result).toMatchObject({ structuredContent: { sum: 2 } });
  });
});

it('the server ends at a message that is larger than any it accepts', async () => {
  const server = startServer(['skills'], { cwd: makeSkills() });
  await server.initialize();
  server.write(`{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"cursor":"${'x'.repeat(11_000_000)}`);
  expect(await server.ended).toBe(0);
  expect(server.stderr()).toContain('warning:');
});

it('the server reads no further while its client does not read', async () => {
  const long = skillFiles('long', {}, { description: 'Does much. '.repeat(90) });
  const server = startServer(['skills'], { cwd: makeSkills(long), isReading: false });
  const padding = 'x'.repeat(8_000);
  const count = 3_000;
  for (let id = 1; id <= count; id += 1) server.send({ id, method: 'tools/list', params: { _meta: { padding } } });
  // The server has stopped when nothing changes over several looks.
  let unread = -1;
  let still = 0;
  await expect
    .poll(
      () => {
        still = server.unread() === unread ? still + 1 : 0;
        unread = server.unread();
        return still;
      },
      { interval: 200 },
    )
    .toBeGreaterThan(5);
  expect(unread).toBeGreaterThan(0);
  server.read();
  await expect.poll(() => server.messages.length).toBe(count);
});
