import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { proves } from '../../proves.ts';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

describe('the documents on security', () => {
  it('explain what scripts may do, how to list tools, and how to write and review skills', () => {
    proves('S2.DR-11.2.docs');
    const text = read('docs/security.md');
    for (const heading of ['What a script may do', 'For those who write skills', 'Reviewing a skill'])
      expect(text).toContain(`## ${heading}`);
    expect(text).toContain('Do not trust what you have not read');
    expect(text).toContain('allowed-tools: Bash(git:*)');
  });

  it('explain to authors how handlers should behave and where secrets belong', () => {
    proves('S1.6.restrict.minimal-deps', 'S1.6.restrict.meaningful', 'S1.6.secrets.documented');
    const text = read('docs/security.md').replaceAll(/\s+/g, ' ');
    expect(text).toContain('Depend on little');
    expect(text).toContain('Answer what an agent can understand');
    expect(text).toContain('`## Configuration` section');
    expect(text).toContain('Keep secrets out of the skill');
  });

  it('explain how to report a vulnerability, which versions get fixes, and when it becomes public', () => {
    proves('S2.DR-11.4.policy');
    const text = read('SECURITY.md');
    for (const heading of ['Reporting', 'Supported versions', 'Disclosure']) expect(text).toContain(`## ${heading}`);
    expect(text).toContain('Report a vulnerability');
  });
});

describe('dependencies', () => {
  it('are audited and updated automatically, and the process is documented', () => {
    proves('S2.DR-11.3.audit');
    expect(read('.github/workflows/audit.yml')).toContain('npm audit');
    expect(read('.github/dependabot.yml')).toContain('package-ecosystem: npm');
    expect(read('CONTRIBUTING.md')).toContain('## Updating dependencies');
  });
});
