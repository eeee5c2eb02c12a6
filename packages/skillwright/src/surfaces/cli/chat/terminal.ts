import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Ask } from './approval-prompt.ts';

/** The user's terminal. */
export interface ChatTerminal {
  /** The user's next message; `undefined` if the user leaves. */
  read(): Promise<string | undefined>;
  /** Asks a question and returns the answer. Text typed before the question is not used as an answer. */
  readonly ask: Ask;
  /** Restores the terminal. Safe to call again. */
  close(): void;
}

export interface TerminalOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & { readonly columns?: number };
  readonly prompt: string;
  /** The user pressed Ctrl-C while work was in progress or a question was open. */
  readonly onInterrupt: () => void;
  /** The user wants to leave: Ctrl-D, or Ctrl-C twice. */
  readonly onLeave: () => void;
  /** The hint to show at the first Ctrl-C on an empty line. */
  readonly leaveHint: string;
  /** Completions for the start of a word. */
  readonly complete?: ((start: string) => readonly string[]) | undefined;
}

/** Edits lines like a shell. Text typed while nothing reads is kept, without echo, for the next read. */
export function openTerminal(options: TerminalOptions): ChatTerminal {
  const screen = createScreen(options.output);
  const editor = createInterface({
    input: options.input,
    output: screen,
    terminal: true,
    prompt: options.prompt,
    completer: (line: string) => [[...(options.complete?.(line) ?? [])], line],
  });
  const inbox = createInbox();
  /** Resolves the open question. */
  let answering: ((answer: string | undefined) => void) | undefined;
  let isReading = false;
  /** Whether the next Ctrl-C leaves the chat. */
  let isLeaving = false;
  let isClosed = false;

  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    editor.close();
    screen.end();
    inbox.close();
    answering?.(undefined);
  };
  const leave = (): void => {
    if (isClosed) return;
    if (!screen.isMuted) screen.write('\n');
    close();
    options.onLeave();
  };

  editor.on('close', leave);
  editor.on('history', (history) => {
    if (answering !== undefined) history.shift();
  });
  editor.on('line', (line) => {
    isLeaving = false;
    if (answering === undefined) inbox.add(line, !screen.isMuted);
    else answering(line);
    screen.isMuted = true;
  });
  editor.on('SIGINT', () => {
    if (isReading && editor.line !== '') {
      isLeaving = false;
      return clearLine(editor);
    }
    if (isLeaving) return leave();
    isLeaving = true;
    if (!isReading) return options.onInterrupt();
    screen.write(`\n${options.leaveHint}\n`);
    editor.prompt();
  });

  return {
    async read() {
      if (isClosed) return undefined;
      screen.isMuted = false;
      isReading = true;
      const waiting = inbox.take();
      if (waiting === undefined) editor.prompt(true);
      else screen.write(options.prompt);
      try {
        const message = waiting ?? (await inbox.next());
        screen.isMuted = false;
        if (message?.isSeen === false) screen.write(`${message.text}\n`);
        return message?.text;
      } finally {
        isReading = false;
        screen.isMuted = true;
      }
    },
    async ask(question, signal) {
      if (isClosed || signal.aborted) return undefined;
      clearLine(editor);
      screen.isMuted = false;
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      const onAbort = (): void => resolve(undefined);
      answering = resolve;
      signal.addEventListener('abort', onAbort, { once: true });
      editor.setPrompt(question);
      editor.prompt();
      try {
        const answer = await promise;
        if (answer === undefined && !isClosed) screen.write('\n');
        return answer;
      } finally {
        answering = undefined;
        screen.isMuted = true;
        editor.setPrompt(options.prompt);
        signal.removeEventListener('abort', onAbort);
      }
    },
    close,
  };
}

function clearLine(editor: Interface): void {
  editor.write(null, { ctrl: true, name: 'e' });
  editor.write(null, { ctrl: true, name: 'u' });
}

/** The stream that the line editor writes to. While it is muted, it drops everything. */
type Screen = Writable & { isMuted: boolean };

function createScreen(output: TerminalOptions['output']): Screen {
  const resized = (): void => void screen.emit('resize');
  const screen = Object.assign(
    new Writable({
      decodeStrings: false,
      write(text: string, _encoding, done) {
        if (!screen.isMuted) output.write(text);
        done();
      },
      final(done) {
        output.off('resize', resized);
        done();
      },
    }),
    { isMuted: true },
  );
  Object.defineProperty(screen, 'columns', { get: () => output.columns });
  output.on('resize', resized);
  return screen;
}

interface Message {
  readonly text: string;
  /** Whether the terminal showed the text as it was typed. */
  readonly isSeen: boolean;
}

interface Inbox {
  /** Lines that arrive together, such as pasted text, become one message. */
  add(line: string, isSeen: boolean): void;
  take(): Message | undefined;
  /** The next message; `undefined` once the inbox is closed. */
  next(): Promise<Message | undefined>;
  close(): void;
}

function createInbox(): Inbox {
  const messages: Message[] = [];
  let lines: string[] = [];
  let isClosed = false;
  let waiting: ((message: Message | undefined) => void) | undefined;
  const deliver = (isSeen: boolean): void => {
    if (lines.length > 0) messages.push({ text: lines.join('\n'), isSeen });
    lines = [];
    if (messages.length > 0 || isClosed) waiting?.(messages.shift());
  };
  return {
    add(line, isSeen) {
      lines.push(line);
      if (lines.length === 1) setImmediate(deliver, isSeen);
    },
    take: () => messages.shift(),
    next: () =>
      new Promise((resolve) => {
        waiting = (message) => {
          waiting = undefined;
          resolve(message);
        };
        if (isClosed) waiting(undefined);
      }),
    close() {
      isClosed = true;
      deliver(true);
    },
  };
}
