import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { ENTRIES, entryPath } from '../../scripts/public-entries.ts';

// Loaded with `node --import`: maps the packages' public names to their sources, for code from the documentation.
registerHooks({
  resolve: (specifier, context, next) => {
    const source = ENTRIES[specifier];
    return next(source === undefined ? specifier : pathToFileURL(entryPath(source)).href, context);
  },
});
