import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createToolNames } from './tool-names.ts';

const LEGAL = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

describe('a tool name for providers', () => {
  it.each(['load_skill', '_x', 'a-b', 'A'.repeat(64)])('is the name itself if it is legal: %s', (name) => {
    expect(createToolNames([name]).encode(name)).toBe(name);
  });

  it.each([
    ['pdf@1.0.0', /^pdf_1_0_0_[a-z0-9]{8}$/],
    ['plugin:skill__tool', /^plugin_skill__tool_[a-z0-9]{8}$/],
    ['Grüße', /^Gru_e_[a-z0-9]{8}$/],
    ['天気', /^tool_[a-z0-9]{8}$/],
    ['7zip', /^_7zip_[a-z0-9]{8}$/],
    ['-x', /^_-x_[a-z0-9]{8}$/],
    ['', /^tool_[a-z0-9]{8}$/],
    ['a'.repeat(200), /^a{55}_[a-z0-9]{8}$/],
  ])('for %j matches %s', (name, pattern) => {
    const names = createToolNames([name]);
    expect(names.encode(name)).toMatch(pattern);
    expect(names.encode(name)).toMatch(LEGAL);
    expect(names.decode(names.encode(name))).toBe(name);
  });

  it('is legal, unique and reversible for any names in any order', () => {
    const name = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 90 }),
      fc.constantFrom('a@1', 'a_1', 'a.1', 'a:1', 'a 1', 'a'),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 30 }), (all) => {
        const names = createToolNames(all);
        const reversed = createToolNames(all.toReversed());
        const codes = all.map((one) => names.encode(one));
        expect(new Set(codes).size).toBe(all.length);
        for (const [index, code] of codes.entries()) {
          expect(code).toMatch(LEGAL);
          expect(names.decode(code)).toBe(all[index]);
          expect(reversed.encode(all[index] ?? '')).toBe(code);
        }
      }),
    );
  });

  it('does not depend on the other tools', () => {
    const alone = createToolNames(['pdf@1.0.0']).encode('pdf@1.0.0');
    expect(createToolNames(['a', 'pdf 1.0.0', 'pdf@1.0.0', 'pdf:1.0.0']).encode('pdf@1.0.0')).toBe(alone);
  });

  it('changes if another tool already has that name', () => {
    const taken = createToolNames(['pdf@1.0.0']).encode('pdf@1.0.0');
    const names = createToolNames(['pdf@1.0.0', taken]);
    expect(names.decode(taken)).toBe(taken);
    expect(names.encode('pdf@1.0.0')).not.toBe(taken);
    expect(names.decode(names.encode('pdf@1.0.0'))).toBe('pdf@1.0.0');
  });
});

describe('a tool name that a model wrote', () => {
  const names = createToolNames(['pdf', 'csv@2.1.0', 'plugin:skill__tool']);

  it.each([
    ['pdf', 'pdf'],
    ['pdf@1.0.0', 'pdf'],
    ['csv@2.1.0', 'csv@2.1.0'],
    ['plugin:skill__tool', 'plugin:skill__tool'],
    ['plugin:skill__tool@1.2.3', 'plugin:skill__tool'],
  ])('%s means %s', (written, name) => {
    expect(names.decode(written)).toBe(name);
  });

  it.each(['csv', 'csv@1.0.0', 'PDF', '@1.0.0', '', 'constructor', '__proto__'])(
    'is unknown if written as %j',
    (written) => {
      expect(names.decode(written)).toBeUndefined();
    },
  );
});
