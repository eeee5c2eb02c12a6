import { toAnchor } from '../../../site/anchors.ts';

/** A fenced block of a markdown file. */
export interface CodeBlock {
  readonly path: string;
  /** 1-based line of its first line of code. */
  readonly line: number;
  readonly language: string;
  /** The rest of the info string, such as `run`. */
  readonly marks: readonly string[];
  readonly code: string;
}

export interface Markdown {
  readonly blocks: readonly CodeBlock[];
  /** Targets of links outside code. */
  readonly links: readonly string[];
  /** Anchors of headings, as forges make them. */
  readonly anchors: ReadonlySet<string>;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*(.*)$/;

export function readMarkdown(path: string, text: string): Markdown {
  const blocks: CodeBlock[] = [];
  const prose: string[] = [];
  let open: { fence: string; line: number; info: string[]; code: string[] } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const [, fence = '', info = ''] = FENCE.exec(line) ?? [];
    if (open === undefined) {
      if (fence === '') prose.push(line);
      else open = { fence, line: index + 2, info: info.trim().split(/\s+/), code: [] };
    } else if (fence.startsWith(open.fence) && info === '') {
      const [language = '', ...marks] = open.info;
      blocks.push({ path, line: open.line, language, marks, code: `${open.code.join('\n')}\n` });
      open = undefined;
    } else open.code.push(line);
  }
  if (open !== undefined) throw new Error(`${path}:${open.line - 1}: the code block is never closed.`);
  const plain = prose.map((line) => line.replaceAll(/`[^`]*`/g, ''));
  const headings = prose.flatMap((line) => /^#{1,6} (.*)$/.exec(line)?.[1] ?? []);
  return {
    blocks,
    links: plain.flatMap((line) => [...line.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)),
    anchors: new Set(headings.map(toAnchor)),
  };
}

/** Splits a command line into words; it supports quotes but no other shell syntax. */
export function splitWords(command: string): string[] {
  const words = command.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g);
  return [...words].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
  );
}
