import { describe, expect, it } from 'vitest';
import { patternHazard } from './pattern-hazard.ts';

describe('patternHazard', () => {
  it.each([
    '^(a+)+$',
    '^(a*)*$',
    '(a|a)*$',
    '^(a|aa)+$',
    '^([a-z]+)*$',
    '(\\s*\\w+\\s*)*x',
    '^(\\w+\\s?)*$',
    '(.*)*x',
    '^(a{1,3})*$',
    '(x+x+)+y',
    '(a?){30}a{30}',
    '(a+){10}',
    '^(?:a+){2,}$',
    '(?=(a+)+$)',
    '(\\w|\\d)*!',
    '(a*b*)*',
    '([^,]+|x)*$',
    '(?<quote>a)(\\k<quote>b?)*',
    '^(?:é|[à-ü])*$',
  ])('refuses %s, which can take exponential time', (pattern) => {
    expect(patternHazard(pattern)).toBeTypeOf('string');
  });

  it('judges modifiers like (?i:…), if this version of Node can compile them', () => {
    const canCompile = (pattern: string): boolean => {
      try {
        return new RegExp(pattern, 'u').source === pattern;
      } catch {
        return false;
      }
    };
    const pattern = '(?i:(?:a|A)*)x';
    // A pattern that cannot be compiled is never applied to a text.
    expect(patternHazard(pattern) === undefined).toBe(!canCompile(pattern));
  });

  it.each([
    '^[a-z0-9]+(?:-[a-z0-9]+)*$',
    '^\\d+(\\.\\d+)*$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^[^@]+@[^@]+\\.[^@]+$',
    '^(?=.*\\d)(?=.*[a-z]).{8,}$',
    '^[A-Z][a-z]{1,40}( [A-Z][a-z]{1,40})*$',
    '^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}$',
    '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$',
    '^\\p{L}+(?: \\p{L}+)*$',
    '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    '^v?(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?$',
    '"(?:[^"\\\\]|\\\\.)*"',
    'a.*b.*c',
    '^(["\']).*\\1$',
    '[',
  ])('accepts %s', (pattern) => {
    expect(patternHazard(pattern)).toBeUndefined();
  });

  it.each([
    `^(?:${'[a-z]?'.repeat(145)}x)*$`,
    `${'('.repeat(390)}a${'){3}'.repeat(390)}`,
    `${'('.repeat(390)}${'){3}'.repeat(390)}`,
    `(?:${'a|'.repeat(900)}b)*`,
    'a'.repeat(2_001),
  ])('refuses an overly complex pattern without a full analysis', (pattern) => {
    // A full analysis would find these harmless, find them hazardous, or never end.
    expect(patternHazard(pattern)).toMatch(/^is (?:too complex to be analyzed|longer than 2000 characters)$/);
  });
});
