import { describe, expect, it } from 'vitest';
import { createInterest, type Interest } from './watch-interest.ts';

function interestIn(what: 'skill' | 'entries', deep = false): Interest {
  const interest = createInterest(deep);
  interest.add(what);
  return interest;
}

describe('the interest in a directory', () => {
  it.each<['skill' | 'entries', string, string | null, boolean]>([
    ['skill', 'change', 'SKILL.md', true],
    ['skill', 'rename', 'skill.md', true],
    ['skill', 'rename', 'tools.json', true],
    ['skill', 'rename', 'notes.md', false],
    ['skill', 'rename', null, true],
    ['skill', 'rename', 'self', true],
    ['entries', 'rename', 'new-group', true],
    ['entries', 'change', 'README.md', false],
    ['entries', 'change', 'SKILL.md', true],
    ['entries', 'rename', 'node_modules', false],
  ])('of the kind %s: does %s of %s matter? %s', (what, type, name, matters) => {
    expect(interestIn(what).matters(type, name, 'self')).toBe(matters);
  });

  it.each<[string, string, boolean]>([
    ['change', 'a/b/SKILL.md', true],
    ['change', 'a\\.claude-plugin\\plugin.json', true],
    ['rename', 'a/b', true],
    ['change', 'a/b/notes.md', false],
    ['rename', 'a/node_modules/x', false],
  ])('below it too: does %s of %s matter? %s', (type, name, matters) => {
    expect(interestIn('entries', true).matters(type, name, 'self')).toBe(matters);
  });

  it('may be in one name alone', () => {
    const interest = createInterest(false);
    interest.addName('skills');
    expect(interest.matters('rename', 'skills', 'self')).toBe(true);
    expect(interest.matters('rename', 'other', 'self')).toBe(false);
    expect(interest.matters('change', 'SKILL.md', 'self')).toBe(false);
  });
});
