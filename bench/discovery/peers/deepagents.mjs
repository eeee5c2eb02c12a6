import { listSkills } from 'deepagents';

export function discover(dir) {
  return listSkills({ projectSkillsDir: dir }).length;
}
