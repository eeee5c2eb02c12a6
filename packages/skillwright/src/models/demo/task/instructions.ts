import { insidePath, readCommand, type Command } from './commands.ts';
import { objectsIn, type WrittenObject } from './objects.ts';
import type { OfferedTool } from '../formats/conversation.ts';
import { isRecord, listOf, parseRecord, textOf } from '../formats/json-values.ts';

/** A command that instructions show, with the words around it. */
export interface ShownCommand extends Command {
  readonly about: string;
  /** The command is only named in a sentence; its arguments may be shown elsewhere. */
  readonly isMention: boolean;
}

/** What simple rules can extract from a skill's instructions. */
export interface Instructions {
  readonly skill: string;
  readonly text: string;
  /** The skill's own files, as `load_skill` lists them. */
  readonly files: ReadonlySet<string>;
  readonly commands: readonly ShownCommand[];
  /** The skill's tools that the request does not offer. */
  readonly withheld: readonly OfferedTool[];
}

const MAX_TEXT = 200_000;
const MAX_LINE = 4_000;
const MAX_COMMANDS = 100;
const FILES = 'Files of this skill:\n';
const WITHHELD = 'Tools of this skill, which you call with use_skill:\n';
const SHELL_FENCES = new Set(['', 'bash', 'sh', 'shell', 'zsh', 'console', 'terminal', 'text', 'txt']);

export function readInstructions(skill: string, loaded: string): Instructions {
  const text = loaded.slice(0, MAX_TEXT);
  const end = loaded.slice(-MAX_TEXT);
  const files = filesIn(end);
  const baseDir = /^Base directory for this skill: (.+)/.exec(text)?.[1] ?? '';
  const place = { skill, files, baseDir };
  const commands = distinct(commandsIn(text, place)).slice(0, MAX_COMMANDS);
  return { skill, text, files, commands, withheld: withheldTools(end) };
}

function filesIn(text: string): ReadonlySet<string> {
  const start = text.lastIndexOf(FILES);
  const [list = ''] = start === -1 ? [] : text.slice(start + FILES.length).split('\n\n', 1);
  const lines = list.split('\n').filter((line) => line.startsWith('- '));
  return new Set(lines.map((line) => line.slice(2)));
}

/** Tools that only `use_skill` can call, as `load_skill` lists them. */
function withheldTools(text: string): readonly OfferedTool[] {
  const start = text.lastIndexOf(WITHHELD);
  const list = start === -1 ? '' : text.slice(start + WITHHELD.length);
  return [...list.matchAll(/^- ([^\s:]{1,128}): (.*)\n {2}Arguments: (.*)$/gm)].map(
    ([, name = '', description = '', schema = '']) => ({ name, description, schema: parseRecord(schema) }),
  );
}

interface Place {
  readonly skill: string;
  readonly files: ReadonlySet<string>;
  readonly baseDir: string;
}

function* commandsIn(text: string, place: Place): Generator<ShownCommand> {
  const { files, baseDir } = place;
  let heading = '';
  let prose = '';
  let fence: string | undefined;
  for (const whole of text.split(/\r?\n/)) {
    const line = whole.slice(0, MAX_LINE);
    const [, mark] = /^\s*(?:`{3,}|~{3,})\s*([\w-]*)/.exec(line) ?? [];
    if (mark !== undefined) fence = fence === undefined ? mark.toLowerCase() : undefined;
    else if (fence !== undefined) {
      const command = SHELL_FENCES.has(fence) ? readCommand(line, files, baseDir) : undefined;
      if (command !== undefined) yield { ...command, about: [heading, prose, line].join('\n'), isMention: false };
    } else if (/^#{1,6}\s/.test(line)) heading = line.replace(/^#+\s*/, '');
    else if (line.trim() !== '') {
      prose = line;
      for (const [, span = ''] of line.matchAll(/`([^`]+)`/g)) {
        const command = readCommand(span, files, baseDir);
        if (command !== undefined)
          yield { ...command, about: [heading, line].join('\n'), isMention: command.args.length === 0 };
      }
      yield* proseCall(line, place);
    }
  }
  for (const object of objectsIn(text)) yield* objectCall(object, place);
}

/** Reads a sentence such as "Call `use_skill` with script `scripts/x.mjs` and args `["a"]`." */
function* proseCall(line: string, { files, baseDir }: Place): Generator<ShownCommand> {
  if (!line.includes('use_skill') || line.includes('use_skill(')) return;
  const script = insidePath(/\bscript\b[\s:=`"']{1,6}([\w./-]+)/.exec(line)?.[1] ?? '', baseDir);
  if (!files.has(script)) return;
  const list = /\bargs\b[\s:=`]{1,6}(\[[^\]]*\])/.exec(line)?.[1] ?? '[]';
  const args = wordsIn(objectsIn(`{"args": ${list}}`)[0]?.value.args);
  yield { script, args, quoted: new Set(), about: line, isMention: false };
}

/** The items of a list that can be arguments of a program. */
function wordsIn(list: unknown): readonly string[] {
  return listOf(list)
    .filter((item) => typeof item === 'string' || typeof item === 'number')
    .map(String);
}

/** Reads `use_skill({ skill, script, args })`, the arguments alone as JSON, or a call such as `{ name, arguments }`. */
function* objectCall({ value, calledBy }: WrittenObject, { skill, files, baseDir }: Place): Generator<ShownCommand> {
  const wrapped = value.arguments ?? value.input;
  const call = isRecord(wrapped) ? wrapped : value;
  const name = textOf(value.tool_name) || textOf(value.name) || calledBy;
  const isCall = name === '' || name === 'use_skill';
  const script = insidePath(textOf(call.script), baseDir);
  if (!isCall || !files.has(script) || (call.skill !== undefined && call.skill !== skill)) return;
  yield {
    script,
    args: wordsIn(call.args),
    quoted: new Set(),
    about: JSON.stringify(call),
    isMention: false,
  };
}

/** Removes repeated commands, and mentions of scripts that are also shown. */
function distinct(commands: Iterable<ShownCommand>): readonly ShownCommand[] {
  const all = new Map<string, ShownCommand>();
  for (const command of commands) {
    const key = JSON.stringify([command.script, command.args]);
    if (all.get(key)?.isMention !== false) all.set(key, command);
  }
  const shown = new Set([...all.values()].filter(({ isMention }) => !isMention).map(({ script }) => script));
  return [...all.values()].filter(({ script, isMention }) => !isMention || !shown.has(script));
}
