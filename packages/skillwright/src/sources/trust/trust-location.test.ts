import { describe, expect, it } from 'vitest';
import { trustFileLocation } from './trust-location.ts';

describe('the trust file', () => {
  it.each([
    ['linux', {}, '/home/me', '/home/me/.config/skillwright/trust.json'],
    ['linux', { XDG_CONFIG_HOME: '/cfg' }, '/home/me', '/cfg/skillwright/trust.json'],
    ['linux', { XDG_CONFIG_HOME: '' }, '/home/me', '/home/me/.config/skillwright/trust.json'],
    ['linux', { XDG_CONFIG_HOME: 'relative' }, '/home/me', '/home/me/.config/skillwright/trust.json'],
    ['linux', {}, '', '/.config/skillwright/trust.json'],
    ['darwin', {}, '/Users/me', '/Users/me/Library/Application Support/skillwright/trust.json'],
    ['darwin', { XDG_CONFIG_HOME: '/cfg' }, '/Users/me', '/cfg/skillwright/trust.json'],
    ['win32', {}, 'C:\\Users\\me', 'C:\\Users\\me\\AppData\\Roaming\\skillwright\\trust.json'],
    ['win32', { APPDATA: 'D:\\data' }, 'C:\\Users\\me', 'D:\\data\\skillwright\\trust.json'],
  ])('is in the configuration directory of %s, with %j and the home directory %j', (platform, env, home, expected) => {
    expect(trustFileLocation({ platform, env, home })).toBe(expected);
  });
});
