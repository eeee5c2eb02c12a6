import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import { SkillwrightError } from '../../spec/errors/error.ts';
import type { SkillTool } from '../../spec/skill.ts';
import type { SkillCandidate } from '../../spec/source.ts';
import { parseToolsManifest, scriptLines } from '../../parse/manifest/tools-manifest.ts';
import { decodeUtf8 } from '../../parse/utf8.ts';
import { isSameStamp } from '../../sources/stamp.ts';
import type { BuildOptions } from './build-options.ts';
import type { KnownTools } from '../index-cache/heads.ts';
import { keptDiagnostic, lastGoodOf } from './last-good.ts';

export const NO_TOOLS: readonly SkillTool[] = Object.freeze([]);

/** The tools of a skill that has a tools.json. Faults in the file become diagnostics. */
export function readTools(
  candidate: SkillCandidate,
  options: BuildOptions,
  diagnostics: Diagnostic[],
): readonly SkillTool[] {
  const path = `${candidate.baseDir}/tools.json`;
  const before = diagnostics.length;
  const tools = knownTools(candidate, path, options, diagnostics) ?? parseTools(candidate, path, options, diagnostics);
  if (diagnostics.slice(before).some(({ code }) => code === 'tools-invalid')) {
    const kept = lastGoodOf(candidate, options)?.metadata.tools ?? NO_TOOLS;
    if (kept.length > 0) diagnostics.push(keptDiagnostic(path));
    return kept;
  }
  diagnostics.push(...missingScripts(candidate, tools, path, options));
  return tools;
}

/** From memory where the file has not changed. */
function knownTools(
  { toolsStamp }: SkillCandidate,
  path: string,
  { memory }: BuildOptions,
  diagnostics: Diagnostic[],
): readonly SkillTool[] | undefined {
  const known = memory?.tools(path);
  if (known === undefined || toolsStamp === undefined || !isSameStamp(known.stamp, toolsStamp)) return undefined;
  diagnostics.push(...known.diagnostics);
  memory?.keepTools(path, known);
  return known.tools;
}

function parseTools(
  candidate: SkillCandidate,
  path: string,
  options: BuildOptions,
  diagnostics: Diagnostic[],
): readonly SkillTool[] {
  const text = readToolsText(candidate, path, options.limits.maxManifestBytes, diagnostics);
  if (text === undefined) return NO_TOOLS;
  const parsed: Omit<KnownTools, 'stamp'> = parseToolsManifest(text, { path, strict: options.strict });
  diagnostics.push(...parsed.diagnostics);
  const { toolsStamp: stamp } = candidate;
  if (stamp !== undefined) options.memory?.keepTools(path, { stamp, ...parsed });
  return parsed.tools;
}

function readToolsText(
  candidate: SkillCandidate,
  path: string,
  maxBytes: number,
  diagnostics: Diagnostic[],
): string | undefined {
  try {
    const decoded = decodeUtf8(candidate.files.readTopSync('tools.json', maxBytes));
    if (decoded.ok) return decoded.text;
    diagnostics.push(
      createDiagnostic('tools-invalid', { path, message: `${path} is not valid UTF-8 at byte ${decoded.offset}.` }),
    );
  } catch (error) {
    if (!SkillwrightError.isInstance(error)) throw error;
    diagnostics.push(createDiagnostic('tools-invalid', { path, message: `${path}: ${error.message}` }));
  }
  return undefined;
}

/** Tools whose script is not a file of the skill. The text is read again only if there are any, for their lines. */
function missingScripts(
  candidate: SkillCandidate,
  tools: readonly SkillTool[],
  path: string,
  { limits, strict }: BuildOptions,
): Diagnostic[] {
  const missing = tools.filter(({ script }) => script !== undefined && !candidate.files.has(script));
  if (missing.length === 0) return [];
  const lines = scriptLines(readToolsText(candidate, path, limits.maxManifestBytes, []) ?? '');
  return missing.map(({ name, script }) => {
    const message = `Tool '${name}' names the script '${script}', which is not a file of the skill.`;
    return createDiagnostic('tool-script-missing', { path, line: lines.get(name), strict, message });
  });
}
