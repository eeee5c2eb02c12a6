import { registerHooks } from 'node:module';

// Loaded with `node --import`: code from the documentation finds the sources under the packages' public names.
const packages = new URL('../../packages/', import.meta.url);
const entries: Readonly<Record<string, string>> = {
  skillwright: 'skillwright/src/index.ts',
  'skillwright/wire': 'skillwright/src/wire/index.ts',
  'skillwright/host': 'skillwright/src/host.ts',
  'skillwright/commands': 'skillwright/src/commands.ts',
  'skillwright/testing': 'skillwright/src/testing/index.ts',
  '@skillwright/gateway': 'gateway/src/index.ts',
};

registerHooks({
  resolve: (specifier, context, next) => {
    const entry = entries[specifier];
    return next(entry === undefined ? specifier : new URL(entry, packages).href, context);
  },
});
