import { relative } from 'node:path';
import type { Caller } from '../../http/gateway-env.ts';
import type { GatewayParts } from '../../parts.ts';
import type { RegisteredSkill } from '../../registry/registered-skill.ts';
import { managesAll } from '../whose.ts';
import { addedBytes } from './added-bytes.ts';

type Detailed = Pick<GatewayParts, 'registry' | 'skills'>;

/** Everything about a skill except its body. Paths are relative to the skill, so that its location stays private. */
export async function skillDetails(skill: RegisteredSkill, caller: Caller, parts: Detailed): Promise<object> {
  const { tools, files, diagnostics } = contentOf(skill, parts.skills);
  const versions = await versionsOf(skill, caller, parts.registry);
  return { ...skill, adds: addedBytes(skill, parts.skills) ?? null, tools, files, diagnostics, versions };
}

function contentOf(
  skill: RegisteredSkill,
  host: Detailed['skills'],
): Record<'tools' | 'files' | 'diagnostics', object[]> {
  const record = skill.kind === 'package' ? host.snapshot.find(skill.name) : undefined;
  if (record === undefined) {
    const own = { name: skill.name, description: skill.description, inputSchema: skill.schema.input };
    return { tools: skill.kind === 'package' ? [] : [own], files: [], diagnostics: [] };
  }
  const { metadata } = record;
  const { files } = record.files.list(host.runtime.limits.maxListedFiles);
  const inside = (path: string): string | undefined => {
    const place = relative(metadata.baseDir, path);
    return place.startsWith('..') ? undefined : place === '' ? '.' : place;
  };
  const hide = (text: string): string => text.replaceAll(metadata.baseDir, '.');
  return {
    tools: metadata.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    files: files.map(({ path, bytes }) => ({ path, size: bytes })),
    diagnostics: host.snapshot.diagnostics.flatMap(({ code, severity, message, hint, path, line }) => {
      const place = inside(path);
      if (place === undefined) return [];
      const told = { code, severity, message: hide(message), ...(hint === undefined ? {} : { hint: hide(hint) }) };
      return [{ ...told, path: place, ...(line === undefined ? {} : { line }) }];
    }),
  };
}

/** The versions that the caller can see. A manager sees the versions that belong to the owner of this skill. */
async function versionsOf(
  { name, apiKeyId }: RegisteredSkill,
  caller: Caller,
  registry: Detailed['registry'],
): Promise<object[]> {
  const versions = await registry.getSkillVersions(name, managesAll(caller) ? apiKeyId : caller.apiKeyId);
  return versions.map(({ id, version, mode, enabled }) => ({ id, version, mode, enabled }));
}
