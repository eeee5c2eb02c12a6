import { describe, expect, it } from 'vitest';
import { openTestStore } from '../store/data-directory.ts';

const PAGE = { page: 1, limit: 10 };

describe('the audit table', () => {
  it('stores entries, lists the newest first, and finds them by action, target and key', async () => {
    const { audit } = await openTestStore();
    const entry = { requestId: 'r', before: null, after: { mode: 'on' } };
    await audit.add({ ...entry, id: '1', action: 'skill.update', targetId: 's', apiKeyId: 'k', createdAt: 1 });
    await audit.add({ ...entry, id: '2', action: 'key.create', targetId: 't', apiKeyId: null, createdAt: 2 });
    const ids = async (filter: object): Promise<string[]> => (await audit.list(filter, PAGE)).data.map(({ id }) => id);
    expect(await ids({})).toEqual(['2', '1']);
    expect(await ids({ action: 'skill.update' })).toEqual(['1']);
    expect(await ids({ targetId: 't' })).toEqual(['2']);
    expect(await ids({ apiKeyId: 'k' })).toEqual(['1']);
    expect((await audit.list({}, { page: 2, limit: 1 })).data).toEqual([
      { ...entry, id: '1', action: 'skill.update', targetId: 's', apiKeyId: 'k', createdAt: 1 },
    ]);
  });

  it('removes old entries, a few at a time', async () => {
    const { audit } = await openTestStore();
    for (const createdAt of [1, 2, 3, 9])
      await audit.add({
        id: String(createdAt),
        action: 'a',
        targetId: null,
        apiKeyId: null,
        requestId: 'r',
        createdAt,
        before: null,
        after: null,
      });
    expect([await audit.removeBefore(5, 2), await audit.removeBefore(5, 2), await audit.removeBefore(5, 2)]).toEqual([
      2, 1, 0,
    ]);
    expect((await audit.list({}, PAGE)).data.map(({ id }) => id)).toEqual(['9']);
  });
});

describe('the approval table', () => {
  it('removes expired approvals, and keeps those that always hold', async () => {
    const { approvals } = await openTestStore();
    const asked = { skillName: 's', version: null, digest: null, target: 't', apiKeyId: null, sessionId: null };
    for (const id of ['old', 'new', 'kept'])
      await approvals.add({
        ...asked,
        id,
        input: null,
        inputHash: id,
        createdAt: 1,
        expiresAt: id === 'new' ? 100 : 5,
      });
    await approvals.decide('kept', { status: 'allowed', scope: 'always', by: null, at: 2, expiresAt: null });
    expect(await approvals.removeExpired(50, 10)).toBe(1);
    expect((await approvals.list({}, PAGE, 50)).data.map(({ id }) => id).sort()).toEqual(['kept', 'new']);
  });
});
