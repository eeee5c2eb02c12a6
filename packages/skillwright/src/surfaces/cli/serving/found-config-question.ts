import { PROGRAM } from '../../../spec/program.ts';
import type { Invocation } from '../command.ts';
import { isYes } from '../context.ts';
import { createErrorOutput } from '../output.ts';
import { createShownPaths } from '../text/shown-path.ts';
import { toLine } from '../text/terminal-text.ts';
import type { FoundConfig } from './gateway-module.ts';

/** Asks the user whether to use a configuration that was found. `undefined` if there is no user to ask. */
export function foundConfigQuestion({
  context,
  globals,
}: Pick<Invocation, 'context' | 'globals'>): ((found: FoundConfig) => Promise<boolean>) | undefined {
  const { ask } = context;
  if (ask === undefined || globals.json) return undefined;
  return async (found) => {
    const output = createErrorOutput(context);
    const shown = createShownPaths(globals.cwd, context.home);
    const path = (text: string): string => toLine(shown.path(text));
    output.line(`${output.style('warning', '?')} ${path(found.file)} was found here. It sets:`);
    for (const [name, value] of settingRows(found, path)) output.line(`    ${name.padEnd(10)} ${value}`);
    output.line(`  If you trust ${toLine(found.directory)}, the gateway uses this file, and the skills and`);
    output.line(`  handlers in that directory run as you. ${PROGRAM} trust --remove undoes this.`);
    return isYes(await ask('  Trust it? y yes, anything else no: '));
  };
}

function settingRows(found: FoundConfig, path: (text: string) => string): [string, string][] {
  const { skills, handlers, upstreams, anonymous, others } = found;
  const models = upstreams.map(({ id, baseUrl, apiKeyEnv }) => {
    return `${id}: ${baseUrl}${apiKeyEnv === undefined ? '' : ` (gets ${apiKeyEnv})`}`;
  });
  return [
    ['skills', skills.map(path).join(', ') || 'none'],
    ['handlers', handlers === '' ? 'none' : path(handlers)],
    ['upstreams', models.map(toLine).join(', ') || 'none'],
    ['anonymous', anonymous],
    ...(others.length === 0 ? [] : ([['others', others.map(toLine).join(', ')]] as [string, string][])),
  ];
}
