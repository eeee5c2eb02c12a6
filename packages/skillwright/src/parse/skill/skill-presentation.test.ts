import { describe, expect, it } from 'vitest';
import { proves } from '../../../../../test/proves.ts';
import { presentSkill } from './skill-presentation.ts';

describe('presentSkill', () => {
  it("gives the skill's location, a blank line and its text", () => {
    proves('S2.FR-4.1.base-line');
    expect(presentSkill('# Title\n', { baseDir: '/skills/pdf' })).toBe(
      'Base directory for this skill: /skills/pdf\n\n# Title\n',
    );
  });

  it('inserts arguments and variables into the text, and appends arguments without a placeholder', () => {
    const skill = { baseDir: '/s', arguments: ['first'], pluginRoot: '/p' };
    const use = { arguments: 'a b', sessionId: 'id', projectDir: '/w' };
    expect(
      presentSkill('$first $1 {baseDir} ${CLAUDE_PLUGIN_ROOT} ${CLAUDE_SESSION_ID} ${CLAUDE_PROJECT_DIR}', skill, use),
    ).toBe('Base directory for this skill: /s\n\na b /s /p id /w');
    expect(presentSkill('text', { baseDir: '/s' }, { arguments: 'x' })).toBe(
      'Base directory for this skill: /s\n\ntext\n\nARGUMENTS: x',
    );
  });

  it('inserts the directory literally, never as a placeholder', () => {
    expect(presentSkill('', { baseDir: '/odd/$ARGUMENTS/{baseDir}' }, { arguments: '' })).toBe(
      'Base directory for this skill: /odd/$ARGUMENTS/{baseDir}\n\n',
    );
  });

  it('drops only the blank lines after the frontmatter', () => {
    const start = 'Base directory for this skill: /s\n\n';
    expect(presentSkill('\n \t\r\n  indented\n\nend\n', { baseDir: '/s' })).toBe(`${start}  indented\n\nend\n`);
    expect(presentSkill('\n\n', { baseDir: '/s' })).toBe(start);
    expect(presentSkill('$ARGUMENTS', { baseDir: '/s' }, { arguments: '\nx' })).toBe(`${start}\nx`);
  });

  it('keeps variables without a value', () => {
    expect(presentSkill('${CLAUDE_PLUGIN_ROOT}', { baseDir: '/s' })).toContain('${CLAUDE_PLUGIN_ROOT}');
  });
});
