import { describe, expect, it } from 'vitest';
import { createListingSession, selectSkills } from '../../packages/skillwright/src/select.ts';
import { explainOffer } from '../../packages/skillwright/src/select/selection/selection-offer.ts';
import { sampleSkill } from '../support/sample-metadata.ts';

const rulesOf = (
  skill: Parameters<typeof explainOffer>[0],
  ranks: Parameters<typeof explainOffer>[1]['ranks'],
): string[] => explainOffer(skill, { ranks }).reasons.map(({ rule }) => rule);

describe('whether a skill is offered to a model', () => {
  const waiting = sampleSkill('recovery', { triggers: ['tool_call_error'] });

  it('is false for a skill that waits for other events, which may still be called by name', () => {
    const offer = explainOffer(waiting, { ranks: () => true });
    expect(offer).toMatchObject({ visible: false, callable: true, reasons: [{ rule: 'triggers' }] });
    expect(offer.reasons[0]?.sentence).toContain('Only tool_call_error triggers it, not tasks.');
    expect(explainOffer({ ...waiting, triggers: [] }, { ranks: () => true }).reasons[0]?.sentence).toContain('empty');
  });

  it('is true for a skill that also waits for tasks, or is always on', () => {
    expect(rulesOf({ ...waiting, triggers: ['tool_call_error', 'Task-Match'] }, () => true)).toEqual([]);
    expect(rulesOf({ ...waiting, mode: 'on' }, () => true)).toEqual([]);
    expect(rulesOf({ ...waiting, mode: 'on', trust: 'untrusted' }, () => true)).toEqual(['triggers']);
    expect(rulesOf(sampleSkill('plain'), () => false)).toEqual([]);
  });

  it('depends on the task for an automatic skill, if tasks are ranked at all', () => {
    const automatic = sampleSkill('automatic', { mode: 'auto' });
    expect(rulesOf(automatic, () => false)).toEqual(['mode-auto']);
    expect(rulesOf(automatic, () => true)).toEqual([]);
    expect(rulesOf(automatic, 'not-asked')).toEqual([]);
  });

  it('decides selections: a skill that is not offered is neither listed nor injected, and withheld with the reason', () => {
    const { listed, injected, reasons } = selectSkills({
      skills: [waiting, sampleSkill('plain')],
      session: createListingSession(),
      task: 'recovery',
      rank: (_task, { isCandidate }) =>
        ['recovery', 'plain']
          .filter((id) => isCandidate?.(id) ?? true)
          .map((id) => ({ id, score: 1, confidence: 1, reasons: [] })),
    });
    expect(listed.map(({ name }) => name)).toEqual(['plain']);
    expect(injected.map(({ skill }) => skill.name)).toEqual(['plain']);
    expect(reasons.find(({ name }) => name === 'recovery')).toMatchObject({ state: 'withheld' });
  });
});
