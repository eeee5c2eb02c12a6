import { registerHooks } from 'node:module';

// Loaded with `node --import`: code from the documentation finds the sources under the package's public names.
const sources = new URL('../../packages/skillwright/src/', import.meta.url);
const entries: Readonly<Record<string, string>> = {
  skillwright: 'index.ts',
  'skillwright/testing': 'testing/index.ts',
};

registerHooks({
  resolve: (specifier, context, next) => {
    const entry = entries[specifier];
    return next(entry === undefined ? specifier : new URL(entry, sources).href, context);
  },
});
