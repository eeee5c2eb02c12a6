import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SkillManager, type SkillManagerOptions } from '../../packages/skillwright/src/index.ts';
import { createTestContainers, TEST_IMAGE } from '../conformance/sandbox/container-test-sandbox.ts';
import { createSkillTree } from '../support/skill-tree.ts';

const staging = mkdtempSync(join(tmpdir(), 'skillwright-staging-'));
afterAll(() => {
  // Copies of skills are read-only.
  spawnSync('chmod', ['-R', 'u+w', staging]);
  rmSync(staging, { recursive: true, force: true });
});

function open(options: SkillManagerOptions): SkillManager {
  const { root } = createSkillTree({
    'skills/kit/SKILL.md': '---\nname: kit\ndescription: Tries containers.\n---\nText.\n',
    'skills/kit/tools.json': JSON.stringify([{ name: 'answer', description: 'Answers.', script: 'answer.mjs' }]),
    'skills/kit/answer.mjs': 'export default () => 42;',
    'skills/kit/say.sh': 'echo "$SKILL_NAME"; cat /proc/1/comm',
  });
  return new SkillManager({ cwd: root, projectSkillDir: 'skills', stagingDir: staging, ...options });
}

describe('a skill in containers', () => {
  it.for(['trusted', 'untrusted'] as const)("runs with the library's options if it is %s", async (trust, { skip }) => {
    const probe = await createTestContainers().probe();
    if (!probe.available) skip(`the container tier is not available here: ${probe.reason}`);
    const container = { image: TEST_IMAGE, images: [TEST_IMAGE], cpus: 2 };
    const manager = open({ trust, sandbox: { tier: 'container', min: 'container', container } });
    const script = await manager.runScript('kit', 'say.sh');
    expect(script).toMatchObject({ success: true });
    expect(script.stdout).toMatch(/^kit\n(?:docker-init|catatonit|tini)\n$/);
    expect(await manager.callTool('answer')).toMatchObject({ value: 42 });
    await manager.close();
  });

  it('may use a writable workspace in which it lies, and is ended at its timeout', async ({ skip }) => {
    const probe = await createTestContainers().probe();
    if (!probe.available) skip(`the container tier is not available here: ${probe.reason}`);
    const container = { image: TEST_IMAGE, images: [TEST_IMAGE], cpus: 2 };
    const { root } = createSkillTree({
      'skills/kit/SKILL.md': '---\nname: kit\ndescription: Tries containers.\n---\nText.\n',
      'skills/kit/spoil.sh': 'echo x > "$SKILL_DIR/SKILL.md" || echo kept; echo made > made.txt; sleep 300',
    });
    chmodSync(root, 0o777);
    const manager = new SkillManager({
      cwd: root,
      stagingDir: staging,
      timeout: 6_000,
      sandbox: { tier: 'container', workspace: 'write', container },
    });
    const result = await manager.runScript('kit', 'spoil.sh', [], { cwd: root });
    expect(result).toMatchObject({ code: 'ExecutionTimeout', stdout: 'kept\n' });
    expect(readFileSync(join(root, 'made.txt'), 'utf8')).toBe('made\n');
    await manager.close();
  });

  it('is refused an image that is not allowed, with instructions to allow it', async ({ skip }) => {
    const probe = await createTestContainers().probe();
    if (!probe.available) skip(`the container tier is not available here: ${probe.reason}`);
    const manager = open({ sandbox: { min: 'container', container: { image: 'evil:latest' } } });
    const result = await manager.runScript('kit', 'say.sh');
    expect(result).toMatchObject({ code: 'RequirementsMissing', stdout: '' });
    expect(result.error).toMatch(/'evil:latest' is not allowed.*sandbox\.container\.images/);
    await manager.close();
  });
});
