import { readShellCommand } from '../../packages/skillwright/src/policy/shell/shell-parts.ts';

/** Returns the simple commands of a command line that rules judge, or undefined if it cannot be parsed or writes to a file. */
export function judgedCommands(command: string): readonly string[] | undefined {
  const { parts, writes } = readShellCommand(command) ?? { parts: [], writes: ['unknown'] };
  return writes.length > 0 ? undefined : parts.filter((part) => !part.isTransparent).map((part) => part.text);
}
