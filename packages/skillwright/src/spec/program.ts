import manifest from '../../package.json' with { type: 'json' };

/**
 * How messages, help and pages write the command: `npx skillwright`. In a clone and in a project that has the package,
 * `npx` finds it there; where it is installed globally, `npx` finds that.
 */
export const PROGRAM = 'npx skillwright';

/** The version of this package, as its package.json says. */
export const VERSION: string = manifest.version;
