import type { PositionalDefinition } from '../command.ts';

export const SKILL: PositionalDefinition = {
  name: 'skill',
  required: true,
  description: 'Name of the skill, qualified (plugin:skill, group:skill, source/skill) where several share it.',
};
