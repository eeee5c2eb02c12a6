import { posix } from 'node:path';
import type { SkillTool } from 'skillwright';
import type { SkillRecord } from 'skillwright/host';
import { GatewayError } from '../../spec/gateway-error.ts';

/** The script or tool of a package to run. */
export type PackageTarget =
  | {
      readonly kind: 'script';
      readonly script: string;
      readonly args: readonly string[];
      readonly stdin: string | undefined;
    }
  | { readonly kind: 'tool'; readonly tool: SkillTool; readonly args: unknown };

const SCRIPT_MEMBERS = ['script', 'args', 'stdin'];
const TOOL_MEMBERS = ['tool', 'arguments'];

/** Reads `{ script, args?, stdin? }` or `{ tool, arguments }`. Throws `InvalidInput` for anything else. */
export function readPackageInput(input: unknown, { metadata }: SkillRecord): PackageTarget {
  const { name, tools } = metadata;
  const given = (typeof input === 'object' && input !== null ? input : {}) as Readonly<Record<string, unknown>>;
  const { script, args = [], stdin, tool: wanted, arguments: toolArguments = {} } = given;
  const isScript = script !== undefined;
  const stray = Object.keys(given).find((member) => !(isScript ? SCRIPT_MEMBERS : TOOL_MEMBERS).includes(member));
  if (isScript === (wanted !== undefined) || stray !== undefined)
    throw invalid(
      name,
      `takes { script, args?, stdin? } or { tool, arguments }${stray === undefined ? '' : `, without '${stray.slice(0, 60)}'`}`,
    );
  if (isScript) {
    if (typeof script !== 'string' || script === '') throw invalid(name, 'needs the path of a script');
    if (!isTexts(args)) throw invalid(name, "takes a list of texts as 'args'");
    if (stdin !== undefined && typeof stdin !== 'string') throw invalid(name, "takes a text as 'stdin'");
    const path = scriptPath(script);
    const handled = tools.find((tool) => tool.script !== undefined && scriptPath(tool.script) === path);
    // Refuse handlers, because running a handler as a program would do nothing and succeed.
    if (handled !== undefined)
      throw invalid(
        name,
        `cannot run '${path}', which is the handler of the tool '${handled.name}': call the tool instead`,
      );
    return { kind: 'script', script: path, args, stdin };
  }
  const tool = tools.find((candidate) => candidate.name === wanted);
  if (tool !== undefined) return { kind: 'tool', tool, args: toolArguments };
  const known = tools.length === 0 ? 'it has none' : `it has ${tools.map((one) => one.name).join(', ')}`;
  throw invalid(name, `has no tool '${String(wanted).slice(0, 60)}': ${known}`);
}

/** The canonical spelling of a path, used in approvals and records. */
export function scriptPath(script: string): string {
  return posix.normalize(script);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function invalid(skill: string, problem: string): GatewayError {
  return new GatewayError('InvalidInput', `Skill '${skill}' ${problem}.`, { data: { skill } });
}
