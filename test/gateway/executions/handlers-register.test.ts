import { describe, expect, it, onTestFinished } from 'vitest';
import type { HandlerSkill } from '../../../packages/gateway/src/executions/handlers/handlers.ts';
import { ECHO_HANDLER } from '../proxy/loop/loop-handlers.ts';
import { startRest } from '../rest/rest-gateway.ts';

describe('handlers.register', () => {
  it('resolves to the row, and the handler can run at once', async () => {
    const { gateway } = await startRest();
    const row = await gateway.handlers.register({ ...ECHO_HANDLER, version: '1.2.0' });
    expect(row).toMatchObject({ kind: 'handler', name: 'echo', version: '1.2.0', mode: 'on', enabled: true });
    const request = { skillName: 'echo', input: { text: 'hi' }, apiKeyId: null, caller: 'user' } as const;
    expect(await gateway.executor.execute(request)).toMatchObject({ status: 'success', output: 'echo of hi' });
    expect(await gateway.handlers.unregister('echo')).toBe(true);
    expect(await gateway.handlers.unregister('echo')).toBe(false);
    expect(gateway.executor.hasHandler('echo')).toBe(false);
  });

  it.each<[string, Partial<Record<keyof HandlerSkill, unknown>>, string]>([
    ['a name', { name: 'two words' }, 'InvalidConfiguration'],
    ['a version', { version: 'newest' }, 'InvalidSkill'],
    ['a schema', { inputSchema: { type: 'nonsense' } }, 'InvalidSchema'],
    ['a function', { execute: 'code' }, 'InvalidConfiguration'],
  ])('rejects %s that is invalid, and registers nothing', async (_what, wrong, code) => {
    const { gateway } = await startRest();
    const before = gateway.executor.handlerNames;
    const handler = { ...ECHO_HANDLER, ...wrong } as HandlerSkill;
    await expect(gateway.handlers.register(handler)).rejects.toMatchObject({ code });
    expect(gateway.handlers.all).toEqual([]);
    expect(gateway.executor.handlerNames).toEqual(before);
    expect((await gateway.registry.fresh()).versions(handler.name, null)).toEqual([]);
  });

  it('keeps the first handler of a name if a second one is refused', async () => {
    const { gateway } = await startRest();
    await gateway.handlers.register(ECHO_HANDLER);
    const worse = { ...ECHO_HANDLER, version: 'newest', execute: () => 'worse' };
    await expect(gateway.handlers.register(worse)).rejects.toMatchObject({ code: 'InvalidSkill' });
    expect(gateway.handlers.all).toEqual([ECHO_HANDLER]);
  });

  it('logs a failure that is not awaited, and registers the next ones', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listener);
    onTestFinished(() => void process.off('unhandledRejection', listener));
    const { gateway, lines } = await startRest();
    void gateway.handlers.register({ ...ECHO_HANDLER, version: 'newest' });
    void gateway.handlers.register({ ...ECHO_HANDLER, name: 'again' });
    await gateway.handlers.settled();
    expect(gateway.handlers.all.map(({ name }) => name)).toEqual(['again']);
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(unhandled).toEqual([]);
  });
});
