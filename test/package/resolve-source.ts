import { registerHooks } from 'node:module';

// Loaded with `node --import`: code from the documentation finds the sources under the package's public name.
const library = new URL('../../packages/skillwright/src/index.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'skillwright' ? library : specifier, context),
});
