import { describe, expect, it } from 'vitest';
import { proves } from '../../../../../test/proves.ts';
import { lookupKey, nameProblem } from './skill-name.ts';

describe('nameProblem', () => {
  it.each(['a', 'pdf-extractor', '3d', 'a1-b2', 'über-skill', '数据-处理', 'x'.repeat(64)])('accepts %s', (name) => {
    expect(nameProblem(name)).toBeUndefined();
  });

  it.each<[string, RegExp]>([
    ['', /empty/],
    ['-a', /hyphen/],
    ['a-', /hyphen/],
    ['a--b', /two hyphens/],
    ['PDF', /capital/],
    ['a b', /" "/],
    ['a_b', /"_"/],
    ['../x', /"\."/],
    ['🎉', /🎉/u],
    ['x'.repeat(65), /65 characters/],
    ['a\0b', /\\u0000/],
  ])('refuses %j', (name, reason) => {
    proves('S2.FR-2.3.name');
    expect(nameProblem(name)).toMatch(reason);
  });

  it('counts characters after normalization', () => {
    expect(nameProblem('ﬁle')).toBeUndefined();
  });
});

describe('lookupKey', () => {
  it('treats underscores and hyphens, and different Unicode compositions, as equal', () => {
    expect(lookupKey('tool_call_error_recovery')).toBe('tool-call-error-recovery');
    expect(lookupKey('u\u0308ber')).toBe(lookupKey('über'));
    expect(lookupKey('pdf-extractor')).toBe('pdf-extractor');
  });
});
