import manifest from '../../package.json' with { type: 'json' };

/**
 * How messages, help and pages write the command: `npx skillwright`. It works in a clone, in a project with the
 * package, and with a global installation.
 */
export const PROGRAM = 'npx skillwright';

/** The version of this package, from its package.json. */
export const VERSION: string = manifest.version;
