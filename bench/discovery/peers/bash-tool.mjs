import { experimental_createSkillTool } from 'bash-tool';

export async function discover(dir) {
  return (await experimental_createSkillTool({ skillsDirectory: dir })).skills.length;
}
