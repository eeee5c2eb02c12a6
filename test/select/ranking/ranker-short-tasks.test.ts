import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createRanker, SkillLoader, type RankableSkill } from '../../../packages/skillwright/src/index.ts';
import { FITTING_TASKS, OWN_SKILLS, UNRELATED_SHORT_TASKS } from '../short-tasks.ts';

const SAMPLES = new URL('../../../skills/', import.meta.url);

async function sampleSkills(): Promise<RankableSkill[]> {
  const loader = new SkillLoader(fileURLToPath(SAMPLES));
  const names = readdirSync(SAMPLES);
  const skills = await Promise.all(names.map((name) => loader.loadSkill(name)));
  return skills.map(({ name, metadata: { description, whenToUse, tags }, body }) => {
    return { id: name, name, description, whenToUse, tags, body };
  });
}

/** Counts tasks that got no skill, tasks that got a wrong one, and unrelated tasks that got any. */
function measure(skills: readonly RankableSkill[]): { silent: string[]; wrong: string[]; needless: string[] } {
  const ranker = createRanker(skills);
  const answers = FITTING_TASKS.map(([task, skill]) => ({ task, skill, ids: ranker.rank(task).map(({ id }) => id) }));
  return {
    silent: answers.filter(({ ids }) => ids.length === 0).map(({ task }) => task),
    wrong: answers.filter(({ ids, skill }) => ids.length > 0 && !ids.includes(skill)).map(({ task }) => task),
    needless: UNRELATED_SHORT_TASKS.filter((task) => ranker.rank(task).length > 0),
  };
}

describe('short tasks over a small set of skills', async () => {
  const skills = [...OWN_SKILLS, ...(await sampleSkills())];

  it('get a skill if one fits, and hardly ever if none does', () => {
    const { silent, wrong, needless } = measure(skills);
    expect(silent.length).toBeLessThanOrEqual(2);
    expect(wrong).toEqual([]);
    expect(needless.length).toBeLessThanOrEqual(1);
  });

  it('get nearly the same results before the bodies are read', () => {
    const { silent, wrong, needless } = measure(skills.map((skill) => ({ ...skill, body: undefined })));
    expect(silent.length).toBeLessThanOrEqual(4);
    expect(wrong).toEqual([]);
    expect(needless).toEqual([]);
  });
});

describe('the evidence that a skill fits at all', () => {
  const skills: readonly RankableSkill[] = [
    { id: 'pdf', name: 'pdf-create', description: 'Create PDF documents such as invoices and reports.' },
    { id: 'chart', name: 'data-chart', description: 'Draw charts and plots from CSV or spreadsheet data.' },
    { id: 'scan', name: 'pdf-extract', description: 'Extract text from PDF files.', body: 'Run OCR on scanned pages.' },
    { id: 'es', name: 'factura-es', description: 'Crear facturas y presupuestos, con IVA e IRPF.' },
    { id: 'zh', name: 'translate-zh', description: '将文本翻译成中文，或把中文翻译成其他语言。' },
    { id: 'git', name: 'git-commit', description: 'Write commit messages from the staged changes.' },
  ];
  const ranker = createRanker(skills);
  const first = (task: string): string | undefined => ranker.rank(task)[0]?.id;

  it.each([
    ['make an invoice for ACME, 3 hours at 120', 'pdf'],
    ['plot the sales figures of the last year', 'chart'],
    ['visualise this spreadsheet', 'chart'],
    ['OCR these receipts', 'scan'],
    ['cuánto IRPF tengo que retener', 'es'],
    ['necesito un presupuesto para una reforma', 'es'],
    ['帮我翻译这份合同', 'zh'],
  ])('does not include words that no skill knows: %s', (task, skill) => {
    expect(first(task)).toBe(skill);
  });

  it('includes a word in capitals, unless all of them are', () => {
    expect(first('OCR these receipts')).toBe('scan');
    expect(first('ocr these receipts')).toBeUndefined();
    expect(first('OCR THESE RECEIPTS')).toBeUndefined();
  });

  it('does not include shared words such as "two"', () => {
    const chatty = createRanker([
      { id: 'diff', name: 'text-diff', description: 'Compare two texts and tell every difference one by one.' },
      ...skills,
    ]);
    expect(chatty.rank('plan a trip to Kyoto for two')).toEqual([]);
    expect(chatty.rank('compare two drafts')[0]?.id).toBe('diff');
  });

  it('is required of every skill: one that only shares a word with a good result is omitted', () => {
    const task = 'draw charts and plots from the spreadsheet data, then write it down';
    expect(ranker.rank(task).map(({ id }) => id)).toEqual(['chart']);
    expect(ranker.rank(task, { threshold: 0 }).map(({ id }) => id)).toEqual(['chart', 'git']);
  });
});
