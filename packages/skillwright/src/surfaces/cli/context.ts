import type { Readable, Writable } from 'node:stream';
import type { SkillsProvider } from '../../faces/provider/skills-provider.ts';
import type { Runtime } from '../../runtime.ts';
import type { OutputFollowers } from './serving/output-followers.ts';

/** Everything the command line knows about its process. Tests pass their own. */
export interface CliContext {
  /** The words after the program's name. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  /** Whether standard output is a terminal. */
  readonly isTty: boolean;
  /** Whether standard error is a terminal. */
  readonly isErrorTty: boolean;
  /** The terminal's width; `undefined` if there is no terminal. */
  readonly columns: number | undefined;
  /** Home directory of the user. */
  readonly home: string;
  /** Node's name of the operating system. */
  readonly platform: string;
  /** Asks the user at the terminal; `undefined` if they leave. Absent if there is no user to ask. */
  readonly ask?: (question: string) => Promise<string | undefined>;
  /** Loads the MCP server only when a command needs it. Absent if no command serves MCP. */
  readonly openMcp?: () => Promise<McpSurface>;
}

/** The part of the MCP server that the command `mcp` uses. */
export interface McpSurface {
  serveSkills(
    provider: SkillsProvider,
    options: {
      readonly input: Readable;
      readonly output: Writable;
      readonly runtime: Runtime;
      readonly projectDir: string;
      readonly followOutput: OutputFollowers['follow'];
      readonly toolPerSkill: boolean;
      readonly onError: (error: Error) => void;
    },
  ): { readonly ended: Promise<void>; close(): Promise<void> };
}

export interface TextSink {
  write(text: string): void;
  /** Writes a program's output unchanged. */
  writeBytes?(bytes: Uint8Array): void;
}

/** Asks the user a yes-or-no question. */
export function isYes(answer: string | undefined): boolean {
  return ['y', 'yes'].includes(answer?.trim().toLowerCase() ?? '');
}
