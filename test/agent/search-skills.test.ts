import { realpathSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSkillsProvider, type SkillsProvider } from '../../packages/skillwright/src/index.ts';
import { createSkillTree, goodSkill } from '../support/skill-tree.ts';

async function open(options: { readonly exclude?: string[] } = {}): Promise<SkillsProvider> {
  const { root } = createSkillTree({
    'pdf/SKILL.md': goodSkill('pdf', 'Extracts tables and text from PDF documents.'),
    'mail/SKILL.md': goodSkill('mail', 'Sends electronic mail to people who asked for news.'),
    'secret/SKILL.md': goodSkill('secret', 'Rotates the keys of a vault.'),
  });
  const skills = await createSkillsProvider(realpathSync(root), options);
  onTestFinished(() => skills.close());
  return skills;
}

/** Shares a word with `mail`, and is about something else altogether. */
const FAR = 'news from the garden: roses, tulips, hedges and a fountain of marble beside the old greenhouse';

describe('search_skills', () => {
  it('returns the skills that fit', async () => {
    const answer = await (await open()).handleToolCall('search_skills', { query: 'tables of a PDF' });
    expect(answer).toMatch(/^These skills may fit\. .*\n\n### pdf\nExtracts tables/);
    expect(answer).not.toContain('### mail');
  });

  it('returns the nearest skills if none fits well, and says so', async () => {
    const skills = await open();
    const answer = await skills.handleToolCall('search_skills', { query: FAR });
    expect(answer).toMatch(/^No skill fits well\. These are the closest: .*\n\n### mail\n/);
    const [nearest] = await skills.search(FAR);
    expect(nearest).toMatchObject({ id: 'mail' });
    expect(nearest?.confidence).toBeLessThan(0.04);
  });

  it('says that no skill has a word of the query, and suggests what to do', async () => {
    const answer = await (await open()).handleToolCall('search_skills', { query: 'quantum chromodynamics' });
    expect(answer).toMatch(/^No skill has any word of this search\. Search again with other words/);
  });

  it('never returns a skill that the agent does not have, however near it is', async () => {
    const skills = await open({ exclude: ['secret'] });
    const answer = await skills.handleToolCall('search_skills', { query: 'rotate the keys of the vault' });
    expect(answer).not.toContain('secret');
  });
});
