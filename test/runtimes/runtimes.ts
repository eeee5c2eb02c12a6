import { fileURLToPath } from 'node:url';

const PROGRAMS = {
  'node-20': 'node-20/bin/node',
  'node-22': 'node-22/bin/node',
  bun: '@oven/bun-linux-x64/bin/bun',
  deno: '@deno/linux-x64-glibc/deno',
} as const;

export type Runtime = keyof typeof PROGRAMS;

export const RUNTIMES = Object.keys(PROGRAMS) as readonly Runtime[];

/** The path of a runtime, if it is installed. */
export function runtimePath(name: Runtime): string {
  return fileURLToPath(new URL(`node_modules/${PROGRAMS[name]}`, import.meta.url));
}
