import { LocalSkillSource, Workspace } from '@mastra/core/workspace';

export async function discover(dir) {
  const workspace = new Workspace({ skills: ['.'], skillSource: new LocalSkillSource({ basePath: dir }) });
  return (await workspace.skills.list()).length;
}
