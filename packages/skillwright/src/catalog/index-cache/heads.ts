import { freeze } from '../../parse/manifest/tool-schema.ts';
import { deserialize, serialize } from 'node:v8';
import type { SkillHead } from '../../parse/skill/skill-head.ts';
import type { Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { SkillFields, SkillTool } from '../../spec/skill.ts';
import type { KnownFile, FileStamp } from '../../spec/source.ts';
import { isDiagnostics, isFields, isTexts, isTools } from './check.ts';
import { MAX_CONTENT_BYTES } from './file.ts';
import { KnownFileList } from '../snapshot/known-files.ts';

/** The result of reading a SKILL.md in a certain state. */
export interface KnownHead extends KnownFile {
  /** The parsed head. Absent if the file was refused; the diagnostics then say why. */
  readonly head: SkillHead | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Whether the file is larger than `maxSkillBytes`. */
  readonly oversized: boolean;
}

/** The result of reading a tools.json in a certain state. */
export interface KnownTools extends KnownFile {
  /** The tools in the file, deeply frozen. */
  readonly tools: readonly SkillTool[];
  readonly diagnostics: readonly Diagnostic[];
}

export function isKnownHead(known: KnownFile): known is KnownHead {
  return 'head' in known && 'oversized' in known;
}

export interface KnownFiles {
  readonly heads: KnownFileList<KnownHead>;
  readonly tools: KnownFileList<KnownTools>;
}

const FILES_AT_ONCE = 128;
const LENGTH_BYTES = 4;
const NO_DIAGNOSTICS: readonly Diagnostic[] = Object.freeze([]);
const NO_FIELDS: SkillFields = Object.freeze({});

/** Some files of one kind, stored by column, because reading columns takes half the time of reading rows. */
type Block =
  | [
      'heads',
      ...Common,
      names: (string | undefined)[],
      descriptions: string[],
      fields: Sparse<SkillFields>,
      Sparse<true>,
    ]
  | ['tools', ...Common, tools: (readonly SkillTool[])[]];
type Common = [paths: string[], stamps: Float64Array, diagnostics: Sparse<readonly Diagnostic[]>];
/** The values of a field that only some files have, by the file's number in the block. */
type Sparse<Value> = Map<number, Value>;

/**
 * Writes blocks, each after its length, so that neither writing nor reading holds up other work. A block is in V8's own
 * format: faster to read than JSON, and exact for every value that frontmatter can hold.
 */
export function* encodeHeads({ heads, tools }: KnownFiles): Generator<void, Uint8Array, void> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (const block of toBlocks(heads, tools)) {
    const bytes = serialize(block);
    size += LENGTH_BYTES + bytes.length;
    if (size > MAX_CONTENT_BYTES) break;
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(bytes.length);
    parts.push(length, bytes);
    yield;
  }
  return Buffer.concat(parts);
}

/** Reads blocks. Throws or yields nothing if the bytes were not written by `encodeHeads`. */
export function* decodeHeads(bytes: Uint8Array): Generator<void, KnownFiles, void> {
  const heads: Column<KnownHead> = { paths: [], values: [] };
  const tools: Column<KnownTools> = { paths: [], values: [] };
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < buffer.length;) {
    const start = at + LENGTH_BYTES;
    at = start + buffer.readUInt32LE(at);
    const block: unknown = deserialize(buffer.subarray(start, at));
    if (!isBlock(block)) return { heads: new KnownFileList(), tools: new KnownFileList() };
    if (block[0] === 'heads') readHeads(block, heads);
    else readTools(block, tools);
    yield;
  }
  return {
    heads: new KnownFileList(heads.paths, heads.values),
    tools: new KnownFileList(tools.paths, tools.values),
  };
}

interface Column<Known> {
  readonly paths: string[];
  readonly values: Known[];
}

/** A checksum proves that a file is complete, not who made it, so every value is checked. */
function isBlock(block: unknown): block is Block {
  if (!Array.isArray(block)) return false;
  const [kind, paths, stamps, diagnostics, ...own] = block as unknown[];
  if (!isTexts(paths) || !(stamps instanceof Float64Array) || !isSparse(diagnostics, isDiagnostics)) return false;
  const [first, second, third, fourth] = own;
  if (kind === 'tools') return Array.isArray(first) && first.length === paths.length && first.every(isTools);
  return (
    kind === 'heads' &&
    Array.isArray(first) &&
    first.every((name) => name === undefined || typeof name === 'string') &&
    isTexts(second) &&
    isSparse(third, isFields) &&
    isSparse(fourth, (value) => value === true)
  );
}

function isSparse(values: unknown, isValue: (value: unknown) => boolean): boolean {
  return values instanceof Map && [...values.values()].every(isValue);
}

function readHeads(block: Block & ['heads', ...unknown[]], heads: Column<KnownHead>): void {
  const [, paths, stamps, diagnostics, names, descriptions, fields, oversized] = block;
  for (const [index, path] of paths.entries()) {
    const name = names[index];
    const head =
      name === undefined
        ? undefined
        : { name, description: descriptions[index] ?? '', fields: fields.get(index) ?? NO_FIELDS };
    heads.paths.push(path);
    heads.values.push({
      stamp: createPackedStamp(stamps, index),
      head,
      diagnostics: diagnostics.get(index) ?? NO_DIAGNOSTICS,
      oversized: oversized.has(index),
    });
  }
}

function readTools(block: Block & ['tools', ...unknown[]], tools: Column<KnownTools>): void {
  const [, paths, stamps, diagnostics, lists] = block;
  for (const [index, path] of paths.entries()) {
    tools.paths.push(path);
    tools.values.push({
      stamp: createPackedStamp(stamps, index),
      tools: freeze(lists[index] ?? []),
      diagnostics: diagnostics.get(index) ?? NO_DIAGNOSTICS,
    });
  }
}

function* toBlocks(heads: KnownFiles['heads'], tools: KnownFiles['tools']): Generator<Block, void, void> {
  for (const [paths, known] of inBlocks(heads)) {
    const names = known.map(({ head }) => head?.name);
    const descriptions = known.map(({ head }) => head?.description ?? '');
    const fields = sparse(known, ({ head }) => head && otherFields(head.fields));
    const oversized = sparse(known, (file) => (file.oversized ? true : undefined));
    yield ['heads', ...toCommon(paths, known), names, descriptions, fields, oversized];
  }
  for (const [paths, known] of inBlocks(tools)) {
    yield ['tools', ...toCommon(paths, known), known.map((file) => file.tools)];
  }
}

function toCommon(paths: string[], known: readonly (KnownHead | KnownTools)[]): Common {
  const diagnostics = sparse(known, (file) => (file.diagnostics.length === 0 ? undefined : file.diagnostics));
  return [paths, packStamps(known.map(({ stamp }) => stamp)), diagnostics];
}

function* inBlocks<Known>(files: KnownFileList<Known>): Generator<[string[], Known[]], void, void> {
  const { paths, values } = files;
  for (let start = 0; start < paths.length; start += FILES_AT_ONCE) {
    const end = start + FILES_AT_ONCE;
    yield [paths.slice(start, end), values.slice(start, end)];
  }
}

function sparse<Item, Value>(items: readonly Item[], pick: (item: Item) => Value | undefined): Sparse<Value> {
  const found = new Map<number, Value>();
  for (const [index, item] of items.entries()) {
    const value = pick(item);
    if (value !== undefined) found.set(index, value);
  }
  return found;
}

/**
 * The fields without the description and the name, which the head stores itself. A name with a colon is kept, because it
 * is an alias and not the head's name.
 */
function otherFields({ name, description: _description, ...others }: SkillFields): SkillFields | undefined {
  if (name?.includes(':') === true) return { name, ...others };
  return Object.keys(others).length === 0 ? undefined : others;
}

/** How many numbers a stamp takes. */
const WIDTH = 5;

function packStamps(stamps: readonly FileStamp[]): Float64Array {
  return Float64Array.from(
    stamps.flatMap(({ dev, ino, size, mtimeMs, ctimeMs }) => [dev, ino, size, mtimeMs, ctimeMs]),
  );
}

/**
 * A stamp that reads its numbers from the packed array. For thousands of files, this takes a fifth of the memory of
 * separate objects.
 */
function createPackedStamp(numbers: Float64Array, index: number): FileStamp {
  return new PackedStamp(numbers, index * WIDTH);
}

class PackedStamp implements FileStamp {
  readonly #numbers: Float64Array;
  readonly #start: number;

  constructor(numbers: Float64Array, start: number) {
    this.#numbers = numbers;
    this.#start = start;
  }

  get dev(): number {
    return this.#at(0);
  }

  get ino(): number {
    return this.#at(1);
  }

  get size(): number {
    return this.#at(2);
  }

  get mtimeMs(): number {
    return this.#at(3);
  }

  get ctimeMs(): number {
    return this.#at(4);
  }

  /** Returns NaN for a missing number, because NaN equals nothing. */
  #at(offset: number): number {
    return this.#numbers[this.#start + offset] ?? Number.NaN;
  }
}
