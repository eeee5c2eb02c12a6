import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import { lookupKey } from '../../parse/skill/skill-name.ts';
import type { SettledNames } from './name-clashes.ts';
import type { CatalogTool } from './snapshot.ts';

/** If two tools have the same name, the one of a trusted skill wins, then the one of the skill with the higher precedence. */
export function settleTools(
  { visible, reserved }: Pick<SettledNames, 'visible' | 'reserved'>,
  diagnostics: Diagnostic[],
): ReadonlyMap<string, CatalogTool> {
  const tools = new Map<string, CatalogTool>();
  for (const { metadata: skill } of visible) {
    for (const tool of skill.tools) {
      const own: CatalogTool = { skill, tool };
      const rival = tools.get(tool.name) ?? (skill.trust === 'untrusted' ? ownerOf(tool.name, reserved) : undefined);
      const wins = rival === undefined || (rival.skill.trust === 'untrusted' && skill.trust === 'trusted');
      if (wins) tools.set(tool.name, own);
      if (rival !== undefined) diagnostics.push(wins ? hidden(rival, own) : hidden(own, rival));
    }
  }
  return tools;
}

/** `skill__tool` in its two parts; without a skill where there is none. */
export function splitToolName(name: string): [skill: string, tool: string] {
  const at = name.indexOf('__');
  return at === -1 ? ['', name] : [name.slice(0, at), name.slice(at + 2)];
}

/** The trusted tool that a name like `skill__tool` calls: an untrusted one must not be called so. */
function ownerOf(name: string, reserved: SettledNames['reserved']): CatalogTool | undefined {
  const [skillName, toolName] = splitToolName(name);
  const skill = skillName === '' ? undefined : reserved.get(lookupKey(skillName))?.metadata;
  const tool = skill?.tools.find((candidate) => candidate.name === toolName);
  return skill === undefined || tool === undefined ? undefined : { skill, tool };
}

function hidden(loser: CatalogTool, winner: CatalogTool): Diagnostic {
  const { skill, tool } = loser;
  const why = skill.trust === winner.skill.trust ? '' : ', which is trusted while this one is not';
  const message = `Tool '${tool.name}' of skill '${skill.name}' is hidden by the one of skill '${winner.skill.name}'${why}.`;
  const call = skill.name.includes('__') ? 'Rename' : `Call it as '${skill.name}__${tool.name}', rename`;
  const hint = `${call} one of them, or leave one of the skills out.`;
  return createDiagnostic('tool-shadowed', { path: `${skill.baseDir}/tools.json`, message, hint });
}
