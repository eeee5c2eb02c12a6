/**
 * How messages, help and pages write the program where somebody is to type it. In a clone and in a project that has the
 * package, `npx` finds it there; where it is installed globally, `npx` finds that.
 */
export const PROGRAM = 'npx skillwright';
