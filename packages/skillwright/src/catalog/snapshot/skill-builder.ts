import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { SkillFields, SkillMetadata, SkillTool } from '../../spec/skill.ts';
import type { SkillCandidate } from '../../spec/source.ts';
import { parseSkillHead, type SkillHead } from '../../parse/skill/skill-head.ts';
import type { BuildOptions } from './build-options.ts';
import { isKnownHead, type KnownHead } from '../index-cache/heads.ts';
import { isRunnable } from '../lookup/runnable-file.ts';
import { messageOf } from '../../spec/errors/caught-error.ts';
import { NO_TOOLS, readTools } from './skill-tools.ts';
import { isModelMade } from './skill-trust.ts';

/** Reads a candidate into metadata; `undefined` when it is refused, with the reason among the diagnostics. */
export function buildSkill(
  candidate: SkillCandidate,
  trust: SkillMetadata['trust'],
  options: BuildOptions,
  diagnostics: Diagnostic[],
): SkillMetadata | undefined {
  if (trust !== 'trusted' && candidate.isForeign?.() === true) {
    const message = `${candidate.filePath} may be a private file of another user, so the skill, which is not trusted, was not loaded.`;
    diagnostics.push(createDiagnostic('file-foreign', { path: candidate.filePath, message }));
    return undefined;
  }
  const { head, oversized } = readHead(candidate, options, diagnostics);
  if (head === undefined) {
    // A strict check reports everything at once: errors in tools.json must not come up only after SKILL.md is corrected.
    if (options.strict && candidate.hasToolsFile) readTools(candidate, options, diagnostics);
    return undefined;
  }
  const tools = candidate.hasToolsFile ? readTools(candidate, options, diagnostics) : NO_TOOLS;
  if (oversized) reportOversized(candidate, options, diagnostics);
  if (options.strict && head.fields.allowedTools !== undefined)
    checkScriptsAllowed(candidate, head, options, diagnostics);
  return toMetadata(candidate, trust, head, tools);
}

/** The name of a skill that is not to be loaded. */
export function readSkillName(candidate: SkillCandidate, options: BuildOptions): string {
  if (candidate.isForeign?.() === true) return candidate.directoryName;
  const { head } = readHead(candidate, options, []);
  return head === undefined ? candidate.directoryName : nameOf(candidate, head);
}

/** From memory where the file has not changed. */
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

/** A file that vanishes while it is read on is a diagnostic like any other. */
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
