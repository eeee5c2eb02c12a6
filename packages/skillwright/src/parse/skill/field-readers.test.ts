import { describe, expect, it } from 'vitest';
import { proves } from '../../../../../test/proves.ts';
import { readVersion } from './field-readers.ts';

describe('readVersion', () => {
  it.each<[string, unknown]>([
    ['1.0.0', { version: '1.0.0', state: 'exact' }],
    ['2.1.3-beta.1+build', { version: '2.1.3-beta.1+build', state: 'exact' }],
    ['1.10', { version: '1.10.0', state: 'completed' }],
    ['3', { version: '3.0.0', state: 'completed' }],
    ['v1.2.3', { version: '1.2.3', state: 'completed' }],
    ['v1.2.3-rc.1', { version: '1.2.3-rc.1', state: 'completed' }],
    ['01.2', { version: '1.2.0', state: 'completed' }],
    ['latest', { state: 'invalid' }],
    ['', { state: 'invalid' }],
    ['1.2.3.4', { state: 'invalid' }],
    [`1.${'9'.repeat(400)}`, { state: 'invalid' }],
  ])('reads %j', (text, expected) => {
    proves('S2.FR-2.3.version');
    expect(readVersion(text)).toEqual(expected);
  });
});
