import { describe, expect, it } from 'vitest';
import { parseEgressRules } from './egress-rules.ts';

describe('parseEgressRules', () => {
  const rules = parseEgressRules(['api.example.com', '*.pypi.org', 'Git.Example.com.:8443', '[2001:db8::1]:443']);

  it.each([
    ['api.example.com', 443, true],
    ['api.example.com', 80, true],
    ['api.example.com', 8443, false],
    ['api.example.com', 22, false],
    ['other.example.com', 443, false],
    ['example.com', 443, false],
    ['api.example.com.evil.org', 443, false],
    ['evilapi.example.com', 443, false],
    ['files.pypi.org', 443, true],
    ['a.b.pypi.org', 443, true],
    ['pypi.org', 443, false],
    ['notpypi.org', 443, false],
    ['git.example.com', 8443, true],
    ['git.example.com', 443, false],
    ['2001:db8::1', 443, true],
    ['127.0.0.1', 80, false],
  ])('given %s at port %i, returns %s', (host, port, permitted) => {
    expect(rules.permits(host, port)).toBe(permitted);
  });

  it('allows nothing if the list is empty', () => {
    expect(parseEgressRules([]).permits('example.com', 443)).toBe(false);
  });

  it.each([
    '',
    '*',
    '*.',
    'a b',
    'http://example.com',
    'example.com/path',
    'user@example.com',
    'example.com:0',
    'a:70000',
    'ex*mple.com',
    '*.*.com',
    '*.127.0.0.1',
    'a..b',
    'example.com:',
    '[',
    '[]',
    7,
    null,
    {},
  ])('rejects the entry %j, and says how to write one', (entry) => {
    expect(() => parseEgressRules([entry])).toThrow(/sandbox\.egress\.allow.*Write 'api\.example\.com'/);
  });

  it('rejects a value that is not a list', () => {
    expect(() => parseEgressRules('example.com')).toThrow(/must be a list/);
  });
});
