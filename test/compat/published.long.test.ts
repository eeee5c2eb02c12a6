import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SkillManager } from '../../packages/skillwright/src/index.ts';
import { proves } from '../proves.ts';
import { checkDirectory } from './check-directory.ts';

/** Packages of the npm registry that contain published skills, with their number of SKILL.md files. */
const PACKAGES: readonly [name: string, skills: number][] = [
  ['claude-code-skills@0.5.0', 1_165],
  ['ecc-universal@2.0.0', 719],
  ['bmad-method@6.12.0', 60],
  ['clawdbot@2026.1.24', 54],
];

/** Anthropic's own skills, of which the first package has unchanged copies. */
const OFFICIAL = [
  'algorithmic-art',
  'artifacts-builder',
  'brand-guidelines',
  'canvas-design',
  'docx',
  'frontend-design',
  'internal-comms',
  'mcp-builder',
  'pdf',
  'pptx',
  'skill-creator',
  'slack-gif-creator',
  'theme-factory',
  'webapp-testing',
  'xlsx',
];

const root = mkdtempSync(join(tmpdir(), 'skillwright-published-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Where a package was unpacked; `undefined` if the registry cannot be reached. */
function fetchPackage(name: string): string | undefined {
  const directory = mkdtempSync(join(root, 'package-'));
  try {
    const [{ filename }] = JSON.parse(
      execFileSync('npm', ['pack', name, '--json'], {
        cwd: directory,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    ) as [{ filename: string }];
    execFileSync('tar', ['-xzf', filename], { cwd: directory });
    return join(directory, 'package');
  } catch {
    return undefined;
  }
}

describe('published skills', () => {
  it.each(PACKAGES)('from %s all load unchanged', async (name, skills) => {
    proves('S2.goal.anthropic-compatible', 'S2.TR-3.plugins');
    const directory = fetchPackage(name);
    if (directory === undefined) {
      console.warn(`SKIPPED ${name}: the npm registry cannot be reached`);
      return;
    }
    const report = await checkDirectory(directory);
    expect(report.failures).toEqual([]);
    expect(report.files + report.nested).toBe(skills);
    expect(report.read).toBe(report.files);
    expect(report.refused).toEqual({});
  });

  it("include Anthropic's own, which load and resolve their files", () => {
    proves('S2.TR-3.official');
    const directory = fetchPackage('claude-code-skills@0.5.0');
    if (directory === undefined) {
      console.warn('SKIPPED: the npm registry cannot be reached');
      return;
    }
    const manager = new SkillManager({ projectSkillDir: join(directory, 'data/skills') });
    for (const name of OFFICIAL) {
      const { metadata, content, processedContent } = manager.invokeSkillSync(name, 'report.docx');
      expect(metadata.name).toBe(name);
      expect(metadata.description.length).toBeGreaterThan(20);
      expect(content.length).toBeGreaterThan(200);
      expect(processedContent).toContain(`Base directory for this skill: ${metadata.baseDir}`);
      for (const { path } of manager.listFiles(name)) expect(manager.resolveFile(name, path)).toContain(name);
    }
  });
});
