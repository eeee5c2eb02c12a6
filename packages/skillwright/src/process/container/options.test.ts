import { describe, expect, it } from 'vitest';
import { proves } from '../../../../../test/proves.ts';
import { containerSettings, imageFor } from './options.ts';

describe('imageFor', () => {
  it("picks the program's image out of the three default ones", () => {
    proves('S4.env.images-default');
    const settings = containerSettings({});
    expect(settings.images).toEqual(['alpine:3.20', 'node:22-alpine', 'python:3.12-alpine']);
    expect(['node', 'python3', 'sh', ''].map((program) => imageFor(program, settings))).toEqual([
      'node:22-alpine',
      'python:3.12-alpine',
      'alpine:3.20',
      'alpine:3.20',
    ]);
  });

  it('refuses an image that is not allowed, and says how to allow it', () => {
    proves('S4.env.images-default');
    const settings = containerSettings({ image: 'evil:latest' });
    expect(() => imageFor('node', settings)).toThrow(/'evil:latest' is not allowed.*sandbox\.container\.images/);
  });

  it('accepts added images beside the default ones', () => {
    const settings = containerSettings({ image: 'team/tools:1', images: ['team/tools:1', 'alpine:3.20'] });
    expect(imageFor('node', settings)).toBe('team/tools:1');
    expect(settings.images).toEqual(['alpine:3.20', 'node:22-alpine', 'python:3.12-alpine', 'team/tools:1']);
  });
});
