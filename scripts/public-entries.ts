import { fileURLToPath } from 'node:url';

// Every public entry of the packages and the source behind it. `exports` of the packages and `paths` of tsconfig.json say the
// same in JSON; test/package/public-names.test.ts compares them.
export const ENTRIES: Readonly<Record<string, string>> = {
  skillwright: 'packages/skillwright/src/index.ts',
  'skillwright/select': 'packages/skillwright/src/select.ts',
  'skillwright/sandbox': 'packages/skillwright/src/sandbox.ts',
  'skillwright/record': 'packages/skillwright/src/record.ts',
  'skillwright/otel': 'packages/skillwright/src/otel.ts',
  'skillwright/demo': 'packages/skillwright/src/demo.ts',
  'skillwright/wire': 'packages/skillwright/src/wire/index.ts',
  'skillwright/host': 'packages/skillwright/src/host.ts',
  'skillwright/mcp': 'packages/skillwright/src/mcp.ts',
  'skillwright/commands': 'packages/skillwright/src/commands.ts',
  'skillwright/testing': 'packages/skillwright/src/testing/index.ts',
  '@skillwright/gateway': 'packages/gateway/src/index.ts',
};

/** The source behind an entry, as an absolute path. */
export function entryPath(source: string): string {
  return fileURLToPath(new URL(`../${source}`, import.meta.url));
}

/** Makes Vite resolve the packages' public names to their sources, never to the last build. */
export const ENTRY_ALIASES: readonly { find: RegExp; replacement: string }[] = Object.entries(ENTRIES).map(
  ([name, source]) => ({ find: new RegExp(`^${name}$`), replacement: entryPath(source) }),
);

/** The public names and their sources in the form of a tsconfig's `paths`, for the type checker. */
export const ENTRY_PATHS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(ENTRIES).map(([name, source]) => [name, [entryPath(source)]]),
);
