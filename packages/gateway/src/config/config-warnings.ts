import { statSync } from 'node:fs';
import { closestName } from 'skillwright/host';
import type { GatewayConfig } from './config.ts';
import { CONFIG_VARIABLES, type Environment } from './environment.ts';

/** Variables that are no keys of the configuration: the first key's, and those of the command line. */
const OTHER_VARIABLES = [
  'SKILLWRIGHT_ADMIN_TOKEN',
  'SKILLWRIGHT_TOKEN',
  'SKILLWRIGHT_URL',
  'SKILLWRIGHT_TRUST_FILE',
  'SKILLWRIGHT_DEBUG',
];
const PREFIX = 'SKILLWRIGHT_';

/** What of a valid configuration will hardly do what its author wants, a sentence or two each, with what to do. */
export function configWarnings(config: GatewayConfig, env: Environment): readonly string[] {
  return [...openSettings(config), ...missingDirectories(config), ...unknownVariables(config, env)];
}

function openSettings({ anonymous }: GatewayConfig): readonly string[] {
  if (anonymous === 'off') return [];
  const what = anonymous === 'skills' ? 'use models and run skills' : 'use models';
  return [`"anonymous" is "${anonymous}": every program and user of this machine may ${what} without a key.`];
}

function missingDirectories({ skills }: GatewayConfig): readonly string[] {
  return skills.flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return [];
    const what = found === undefined ? 'There is no directory' : 'There is a file in the place of the directory';
    return [
      `${what} ${path}, so no skills come from it. Create it, or name another: --dir, SKILLWRIGHT_SKILLS or "skills".`,
    ];
  });
}

/** The environment may hold variables of others: only those that look like ours and are none. */
function unknownVariables({ upstreams, builtins }: GatewayConfig, env: Environment): readonly string[] {
  const known = CONFIG_VARIABLES.map(({ name }) => name).filter((name) => name.startsWith(PREFIX));
  const keys = [...upstreams.map(({ apiKeyEnv }) => apiKeyEnv), builtins.searchKeyEnv];
  const used = new Set([...known, ...OTHER_VARIABLES, ...keys]);
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && (env[name] ?? '') !== '' && !used.has(name))
    .map((name) => {
      const nearest = closestName(name.slice(PREFIX.length), [...known, ...OTHER_VARIABLES].map(withoutPrefix));
      const hint = nearest === undefined ? '' : ` Is ${PREFIX}${nearest} meant?`;
      return `The variable ${name} is set, and no setting has that name: it does nothing.${hint}`;
    });
}

function withoutPrefix(name: string): string {
  return name.slice(PREFIX.length);
}
