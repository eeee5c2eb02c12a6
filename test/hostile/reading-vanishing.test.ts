import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { createDirectorySource, SkillManager, type SkillSource } from '../../packages/skillwright/src/index.ts';
import { createRuntime } from '../../packages/skillwright/src/host.ts';
import { discoverHostile } from '../support/hostile-discovery.ts';
import { createSkillTree, goodSkill } from '../support/skill-tree.ts';

describe('a file that vanishes', () => {
  it('between listing and reading gives a diagnostic', () => {
    const long = `---\nname: gone\n${'# long\n'.repeat(2_000)}description: At the end.\n---\n`;
    const tree = createSkillTree({ 'gone/SKILL.md': long, 'good/SKILL.md': goodSkill('good') });
    const inner = createDirectorySource({ path: tree.root });
    const source: SkillSource = {
      ...inner,
      *scan(context) {
        for (const step of inner.scan(context)) {
          // The first bytes are read, and the file is gone before the rest of the frontmatter is read.
          if (step.type !== 'pause' && step.type !== 'diagnostic') tree.remove('gone/SKILL.md');
          yield step;
        }
      },
    };
    const snapshot = createRuntime({ sources: [source] }).catalog.refreshSync();
    expect(snapshot.skills.map(({ name }) => name)).toEqual(['good']);
    expect(snapshot.diagnostics).toMatchObject([
      { severity: expect.stringMatching(/error|warning/) as string, path: tree.path('gone/SKILL.md') },
    ]);
  });

  it('repeatedly during a discovery harms nothing', async ({ onTestFinished }) => {
    const tree = createSkillTree({
      'skills/good/SKILL.md': goodSkill('good'),
      'skills/flicker/': '',
      'skills/group/': '',
    });
    const text = `---\nname: flicker\n${'# long\n'.repeat(1_000)}description: Now.\n---\n`;
    const churn = `const { writeFileSync, rmSync, mkdirSync } = require('node:fs');
      const { workerData: { file, directory, text }, parentPort } = require('node:worker_threads');
      let stopped = false; parentPort.on('message', () => { stopped = true; });
      (function turn() {
        if (stopped) return parentPort.close();
        writeFileSync(file, text); mkdirSync(directory, { recursive: true }); writeFileSync(directory + '/SKILL.md', text);
        rmSync(file); rmSync(directory, { recursive: true });
        setImmediate(turn);
      })();`;
    const workerData = { file: tree.path('skills/flicker/SKILL.md'), directory: tree.path('skills/group/inner'), text };
    const worker = new Worker(churn, { eval: true, workerData });
    const ended = once(worker, 'exit');
    onTestFinished(async () => {
      worker.postMessage('stop');
      await ended;
    });
    const manager = new SkillManager({ cwd: tree.root });
    for (let round = 0; round < 200; round += 1) {
      const { skills, diagnostics } = round % 2 === 0 ? manager.discoverSync() : await manager.discover();
      expect(skills.map(({ name }) => name)).toContain('good');
      for (const { path } of diagnostics) expect(path).toMatch(/flicker|inner/);
    }
  });

  it('before its body is loaded gives an error', async () => {
    const tree = createSkillTree({ 'skills/gone/SKILL.md': goodSkill('gone') });
    const { manager } = await discoverHostile(tree);
    tree.remove('skills/gone');
    await expect(manager.loadSkill('gone')).rejects.toMatchObject({ code: 'FileNotFound' });
  });
});
