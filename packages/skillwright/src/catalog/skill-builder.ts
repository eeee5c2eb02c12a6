import { createDiagnostic, type Diagnostic } from '../spec/diagnostic.ts';
import { SkillwrightError } from '../spec/error.ts';
import type { ReadingLimits } from '../spec/limits.ts';
import type { SkillFields, SkillMetadata, SkillTool } from '../spec/skill.ts';
import type { SkillCandidate } from '../spec/source.ts';
import type { DecideTrust } from '../spec/trust.ts';
import { parseSkillHead, type SkillHead } from '../parse/skill-head.ts';
import { parseToolsManifest } from '../parse/tools-manifest.ts';
import { decodeUtf8 } from '../parse/utf8.ts';
import { isRunnable } from './runnable-file.ts';

export interface BuildOptions {
  readonly limits: ReadingLimits;
  readonly strict: boolean;
  /** Whether other work goes on in between. */
  readonly interruptible: boolean;
  /** Whether the directories of skills are listed too. */
  readonly thorough: boolean;
  /** The host's last word on trust; without it the sources' declarations count. */
  readonly decideTrust: DecideTrust | undefined;
}

const NO_TOOLS: readonly SkillTool[] = Object.freeze([]);

/** Reads a candidate into metadata; `undefined` when it is refused, with the reason among the diagnostics. */
export function buildSkill(
  candidate: SkillCandidate,
  trust: SkillMetadata['trust'],
  options: BuildOptions,
  diagnostics: Diagnostic[],
): SkillMetadata | undefined {
  const head = readCandidateHead(candidate, options, diagnostics);
  if (head === undefined) return undefined;
  const tools = candidate.hasToolsFile ? readTools(candidate, options, diagnostics) : NO_TOOLS;
  if (candidate.oversized) reportOversized(candidate, options, diagnostics);
  if (options.strict && head.fields.allowedTools !== undefined)
    checkScriptsAllowed(candidate, head, options, diagnostics);
  return toMetadata(candidate, trust, head, tools);
}

/** The name of a skill that is not to be loaded. */
export function readSkillName(candidate: SkillCandidate, options: BuildOptions): string {
  const head = readCandidateHead(candidate, options, []);
  return head === undefined ? candidate.directoryName : nameOf(candidate, head);
}

/** A file that vanishes while it is read on is a diagnostic like any other. */
function readCandidateHead(
  candidate: SkillCandidate,
  options: BuildOptions,
  diagnostics: Diagnostic[],
): SkillHead | undefined {
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
    const reason = error instanceof Error ? error.message : String(error);
    diagnostics.push(
      createDiagnostic('skill-file-unreadable', { path: filePath, message: `${filePath} cannot be read: ${reason}.` }),
    );
    return undefined;
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
    trust,
    tools,
  };
  if (plugin !== undefined) {
    metadata.pluginName = plugin.name;
    metadata.pluginRoot = plugin.root;
  }
  copyFields(metadata, head.fields);
  return metadata;
}

/** Adds the fields that are not part of every skill. */
function copyFields(metadata: object, fields: SkillFields): void {
  for (const field in fields) {
    if (field === 'name' || field === 'description' || field === 'disableModelInvocation') continue;
    (metadata as Record<string, unknown>)[field] = fields[field as keyof SkillFields];
  }
}

function readTools(candidate: SkillCandidate, options: BuildOptions, diagnostics: Diagnostic[]): readonly SkillTool[] {
  const path = `${candidate.baseDir}/tools.json`;
  const text = readToolsText(candidate, path, options.limits.maxManifestBytes, diagnostics);
  if (text === undefined) return NO_TOOLS;
  const parsed = parseToolsManifest(text, { path, strict: options.strict });
  diagnostics.push(...parsed.diagnostics);
  for (const tool of parsed.tools) checkScript(candidate, tool, path, options, diagnostics);
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

function checkScript(
  candidate: SkillCandidate,
  tool: SkillTool,
  path: string,
  options: BuildOptions,
  diagnostics: Diagnostic[],
): void {
  if (tool.script === undefined) return;
  if (candidate.files.has(tool.script)) return;
  const message = `Tool '${tool.name}' names the script '${tool.script}', which the skill does not have.`;
  diagnostics.push(createDiagnostic('tool-script-missing', { path, strict: options.strict, message }));
}

function reportOversized(candidate: SkillCandidate, options: BuildOptions, diagnostics: Diagnostic[]): void {
  const { maxSkillBytes } = options.limits;
  const message = `${candidate.filePath} is larger than ${maxSkillBytes} bytes (limits.maxSkillBytes): it is listed, but its instructions cannot be loaded.`;
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
