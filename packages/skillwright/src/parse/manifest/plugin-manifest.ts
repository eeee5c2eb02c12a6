import type { Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { PluginManifest } from '../../spec/plugin.ts';
import { isJsonObject, parseJson } from '../json/json-source.ts';
import {
  readName,
  readSkillPaths,
  readAbout,
  type ManifestObject,
  brokenJson,
  createManifestReport,
  type ManifestContext,
} from './manifest-fields.ts';
import { shown } from '../shown-value.ts';

export interface ParsedPluginManifest {
  /** The manifest. Absent if the text is not a plugin manifest or names no plugin. */
  readonly manifest?: PluginManifest;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the text of a plugin.json. Never throws; unknown fields are ignored. */
export function parsePluginManifest(text: string, context: ManifestContext): ParsedPluginManifest {
  const source = parseJson(text);
  if (!source.ok) return { diagnostics: [brokenJson('plugin-invalid', source, context)] };
  const report = createManifestReport(source, context);
  if (!isJsonObject(source.value)) {
    report.add('plugin-invalid', [], `It contains ${shown(source.value)} instead of an object with a name.`);
    return { diagnostics: report.diagnostics() };
  }
  const plugin: ManifestObject = { fields: source.value, at: [], report };
  const name = readName(plugin);
  if (name === undefined) {
    report.add(
      'plugin-invalid',
      ['name'],
      `A plugin must have a name with letters or digits, not ${shown(source.value.name)}.`,
    );
    return { diagnostics: report.diagnostics() };
  }
  const manifest: PluginManifest = { name, ...readAbout(plugin), skills: readSkillPaths(plugin) };
  return { manifest, diagnostics: report.diagnostics() };
}
