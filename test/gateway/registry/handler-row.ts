import type { NewSkill } from '../../../packages/gateway/src/registry/registered-skill.ts';

/** A registry row for a handler, with these changes. */
export function handlerRow(changes: Partial<NewSkill> = {}): NewSkill {
  return {
    name: 'reverse-text',
    version: '1.0.0',
    description: 'Reverses a string',
    kind: 'handler',
    handler: 'echo-handler',
    ...changes,
  };
}
