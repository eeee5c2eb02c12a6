/**
 * How messages, help and pages write the command: `npx skillwright`. In a clone and in a project that has the package,
 * `npx` finds it there; where it is installed globally, `npx` finds that.
 */
export const PROGRAM = 'npx skillwright';
