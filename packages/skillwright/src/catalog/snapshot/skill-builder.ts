import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { SkillFields, SkillMetadata, SkillTool } from '../../spec/skill.ts';
import type { SkillCandidate } from '../../spec/source.ts';
import { parseSkillHead, type SkillHead } from '../../parse/skill/skill-head.ts';
import type { BuildOptions } from './build-options.ts';
import { isKnownHead, type KnownHead, type KnownTools } from '../index-cache/heads.ts';
import { isRunnable } from '../lookup/runnable-file.ts';
import { messageOf, SkillwrightError } from '../../spec/errors/error.ts';
import { isModelMade } from './skill-trust.ts';
import { parseToolsManifest, scriptLines } from '../../parse/manifest/tools-manifest.ts';
import { decodeUtf8 } from '../../parse/utf8.ts';
import { isSameStamp } from '../../sources/stamp.ts';
import { keptDiagnostic, lastGoodOf } from './last-good.ts';

/** Reads a candidate into metadata; `undefined` if it is refused, with the reason in the diagnostics. */
export function buildSkill(
  candidate: SkillCandidate,
  trust: SkillMetadata['trust'],
  options: BuildOptions,
  diagnostics: Diagnostic[],
): SkillMetadata | undefined {
  if (trust !== 'trusted' && candidate.isForeign?.() === true) {
    const message = `${candidate.filePath} may be another user's private file, so this untrusted skill was not loaded.`;
    diagnostics.push(createDiagnostic('file-foreign', { path: candidate.filePath, message }));
    return undefined;
  }
  const { head, oversized } = readHead(candidate, options, diagnostics);
  if (head === undefined) {
    // A strict check reports everything at once: errors in tools.json must not appear only after SKILL.md is fixed.
    if (options.strict && candidate.hasToolsFile) readTools(candidate, options, diagnostics);
    return undefined;
  }
  const tools = candidate.hasToolsFile ? readTools(candidate, options, diagnostics) : NO_TOOLS;
  if (oversized) reportOversized(candidate, options, diagnostics);
  if (options.strict && head.fields.allowedTools !== undefined)
    checkScriptsAllowed(candidate, head, options, diagnostics);
  return toMetadata(candidate, trust, head, tools);
}

/** The name of a skill that is not loaded. */
export function readSkillName(candidate: SkillCandidate, options: BuildOptions): string {
  if (candidate.isForeign?.() === true) return candidate.directoryName;
  const { head } = readHead(candidate, options, []);
  return head === undefined ? candidate.directoryName : nameOf(candidate, head);
}

/** Uses the known head if the file has not changed. */
function readHead(
  candidate: SkillCandidate,
  options: BuildOptions,
  diagnostics: Diagnostic[],
): Pick<KnownHead, 'head' | 'oversized'> {
  const { memory } = options;
  const { filePath, stamp, oversized } = candidate;
  if (candidate.known !== undefined && isKnownHead(candidate.known)) {
    for (const diagnostic of candidate.known.diagnostics) diagnostics.push(diagnostic);
    memory?.keepHead(filePath, candidate.known);
    return candidate.known;
  }
  const before = diagnostics.length;
  const head = parseCandidateHead(candidate, options, diagnostics);
  if (head === 'unreadable') return { head: undefined, oversized };
  if (memory !== undefined && stamp !== undefined)
    memory.keepHead(filePath, { stamp, head, diagnostics: diagnostics.slice(before), oversized });
  return { head, oversized };
}

/** A file that vanishes while it is read becomes a diagnostic. */
function parseCandidateHead(
  candidate: SkillCandidate,
  options: BuildOptions,
  diagnostics: Diagnostic[],
): SkillHead | undefined | 'unreadable' {
  const { filePath } = candidate;
  try {
    return parseSkillHead(
      {
        bytes: candidate.head,
        length: candidate.headLength,
        complete: candidate.complete,
        path: filePath,
        directoryName: candidate.directoryName,
        strict: options.strict,
        maxFrontmatterBytes: options.limits.maxFrontmatterBytes,
        readMore: (maxBytes) => candidate.files.readHeadSync(maxBytes),
      },
      diagnostics,
    );
  } catch (error) {
    const reason = messageOf(error);
    diagnostics.push(
      createDiagnostic('skill-file-unreadable', { path: filePath, message: `${filePath} cannot be read: ${reason}.` }),
    );
    return 'unreadable';
  }
}

function nameOf({ plugin, directoryName }: SkillCandidate, head: SkillHead): string {
  return plugin === undefined ? head.name : `${plugin.name}:${directoryName}`;
}

function toMetadata(
  candidate: SkillCandidate,
  trust: SkillMetadata['trust'],
  head: SkillHead,
  tools: readonly SkillTool[],
): SkillMetadata {
  const { plugin, directoryName, groups } = candidate;
  const name = nameOf(candidate, head);
  const qualifiedName = plugin === undefined && groups.length > 0 ? `${groups.join(':')}:${name}` : name;
  const metadata: { -readonly [Field in keyof SkillMetadata]: SkillMetadata[Field] } = {
    name,
    description: head.description,
    disableModelInvocation: head.fields.disableModelInvocation ?? false,
    qualifiedName,
    directoryName,
    filePath: candidate.filePath,
    baseDir: candidate.baseDir,
    source: candidate.source,
    trust: isModelMade(head.fields) ? 'untrusted' : trust,
    tools,
  };
  const alias = aliasOf(head.fields.name);
  if (alias !== undefined && alias !== name) metadata.alias = alias;
  if (plugin !== undefined) {
    metadata.pluginName = plugin.name;
    metadata.pluginRoot = plugin.root;
  }
  copyFields(metadata, head.fields);
  return metadata;
}

/** A name with a slash is not an alias, because it imitates `source/skill`. */
function aliasOf(written: string | undefined): string | undefined {
  return written?.includes(':') === true && !/[/\\\p{Cc}\p{Bidi_Control}]/u.test(written) ? written : undefined;
}

/** Copies the optional fields of a SKILL.md to the metadata. */
function copyFields(metadata: object, fields: SkillFields): void {
  for (const field in fields) {
    if (field === 'name' || field === 'description' || field === 'disableModelInvocation') continue;
    (metadata as Record<string, unknown>)[field] = fields[field as keyof SkillFields];
  }
}

function reportOversized(candidate: SkillCandidate, options: BuildOptions, diagnostics: Diagnostic[]): void {
  const { maxSkillBytes } = options.limits;
  const message = `${candidate.filePath} is larger than ${maxSkillBytes} bytes (limits.maxSkillBytes), so the skill is listed but its instructions cannot be loaded.`;
  diagnostics.push(createDiagnostic('file-oversized', { path: candidate.filePath, strict: options.strict, message }));
}

function checkScriptsAllowed(
  candidate: SkillCandidate,
  head: SkillHead,
  options: BuildOptions,
  diagnostics: Diagnostic[],
): void {
  const tools = head.fields.allowedTools ?? [];
  const { files } = candidate.files.list(options.limits.maxListedFiles);
  if (!files.some(isRunnable) || tools.some((tool) => tool === 'Bash' || tool.startsWith('Bash('))) return;
  const message = `The skill bundles scripts, but 'allowed-tools' (${tools.join(', ')}) lacks Bash.`;
  diagnostics.push(createDiagnostic('scripts-need-bash', { path: candidate.filePath, strict: true, message }));
}

const NO_TOOLS: readonly SkillTool[] = Object.freeze([]);

/** The tools of a skill that has a tools.json. Errors in the file become diagnostics. */
function readTools(candidate: SkillCandidate, options: BuildOptions, diagnostics: Diagnostic[]): readonly SkillTool[] {
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

/** Uses the known tools if the file has not changed. */
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

/** Tools whose script is not a file of the skill. If there are any, reads the text again to find their line numbers. */
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
