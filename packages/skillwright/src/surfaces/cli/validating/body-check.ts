import { createDiagnostic, type Diagnostic } from '../../../spec/diagnostics/diagnostic.ts';
import type { DiagnosticCode } from '../../../spec/diagnostics/diagnostic-data.ts';
import { SkillwrightError, type SkillException } from '../../../spec/errors/error.ts';
import type { SkillMetadata } from '../../../spec/skill.ts';
import type { OpenedSkills } from '../finding/locations.ts';

/** Loads every skill that can be reached and reports what is wrong below the head, which is all that discovery reads. */
export async function checkBodies({ manager, snapshot }: OpenedSkills): Promise<Diagnostic[]> {
  const known = new Set(snapshot.diagnostics.map(({ code, path }) => `${code} ${path}`));
  const hidden = snapshot.shadowed.flatMap(({ skill, reachableAs }) =>
    reachableAs === undefined ? [] : [{ skill, address: reachableAs }],
  );
  const found: Diagnostic[] = [];
  for (const { skill, address } of [
    ...snapshot.skills.map((visible) => ({ skill: visible, address: visible.name })),
    ...hidden,
  ]) {
    const problem = await checkBody(skill, async () => (await manager.loadSkill(address)).content);
    manager.clearCache();
    if (problem !== undefined && !known.has(`${problem.code} ${problem.path}`)) found.push(problem);
  }
  return found;
}

async function checkBody(skill: SkillMetadata, load: () => Promise<string>): Promise<Diagnostic | undefined> {
  const path = skill.filePath;
  try {
    const content = await load();
    if (content.trim() !== '') return undefined;
    return createDiagnostic('body-empty', {
      path,
      strict: true,
      message: 'There are no instructions below the frontmatter.',
    });
  } catch (error) {
    if (!SkillwrightError.isInstance(error)) throw error;
    return createDiagnostic(codeOf(error), { path, strict: true, message: error.message });
  }
}

function codeOf(error: SkillException): DiagnosticCode {
  if (error.code === 'MalformedText') return 'text-malformed';
  return error.code === 'FileTooLarge' ? 'file-oversized' : 'skill-file-unreadable';
}
