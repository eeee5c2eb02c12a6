/** Everything the command line knows of the process it runs in. Tests pass one of their own. */
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
  /** Width of the terminal; `undefined` where there is none. */
  readonly columns: number | undefined;
  /** Home directory of the user. */
  readonly home: string;
  /** Node's name of the operating system. */
  readonly platform: string;
  /** Asks the person at the terminal; `undefined` when they leave. Absent when nobody is there to answer. */
  readonly ask?: (question: string) => Promise<string | undefined>;
}

export interface TextSink {
  write(text: string): void;
  /** What a program printed, as it is. */
  writeBytes?(bytes: Uint8Array): void;
}

/** Whether somebody who was asked says yes. */
export function isYes(answer: string | undefined): boolean {
  return ['y', 'yes'].includes(answer?.trim().toLowerCase() ?? '');
}
