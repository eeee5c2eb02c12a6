import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { ENTRIES, entryPath } from '../../scripts/public-entries.ts';

// Loaded with `node --import`: code from the documentation finds the sources under the packages' public names.
registerHooks({
  resolve: (specifier, context, next) => {
    const source = ENTRIES[specifier];
    return next(source === undefined ? specifier : pathToFileURL(entryPath(source)).href, context);
  },
});
