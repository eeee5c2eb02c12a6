import type { ToolContent } from '../../spec/wire.ts';

/** A tool's result in MCP's shape. */
export interface SaidContent {
  readonly content: readonly ToolContent[];
  readonly isError: boolean;
}

/** The fields of an MCP result besides `content`. An object with any other field is data. */
const RESULT_FIELDS: ReadonlySet<string> = new Set(['content', 'isError', 'structuredContent', '_meta']);
const MIME_TYPE = /^[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}(?:;[\x20-\x7e]{0,64})?$/i;
const BASE64 = /^[a-z0-9+/]+={0,2}$/i;
const DEFAULT_MIME_TYPE = 'application/octet-stream';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads `{ content: [{ type: 'text', text }, { type: 'image', mimeType, data }, …] }`, or a single media item. Returns
 * `undefined` for any other value, and if an item does not match its type: the caller then treats the value as data.
 */
export function readContent(value: unknown): SaidContent | undefined {
  if (!isFields(value)) return undefined;
  if (!Array.isArray(value['content'])) {
    const media = mediaOf(value);
    return media === undefined ? undefined : { content: [media], isError: false };
  }
  const items = value['content'] as readonly unknown[];
  if (items.length === 0 || Object.keys(value).some((field) => !RESULT_FIELDS.has(field))) return undefined;
  const content = items.map((item) => (isFields(item) ? itemOf(item) : undefined));
  return content.every((item) => item !== undefined) ? { content, isError: value['isError'] === true } : undefined;
}

/** Joins content to one text, with a description in place of media. */
export function contentText(content: readonly ToolContent[]): string {
  return content.map((item) => (item.type === 'text' ? item.text : describeMedia(item))).join('\n');
}

/** A description of media, for formats that cannot show them. */
export function describeMedia({ type, mimeType, data }: Exclude<ToolContent, { type: 'text' }>): string {
  return `[${type}, ${mimeType}, ${Math.floor((data.length * 3) / 4)} bytes]`;
}

function itemOf(item: Fields): ToolContent | undefined {
  const { type, text, uri, resource } = item;
  if (type === 'text') return typeof text === 'string' ? { type, text } : undefined;
  if (type === 'resource_link') return typeof uri === 'string' ? { type: 'text', text: uri } : undefined;
  if (type === 'resource') return isFields(resource) ? resourceOf(resource) : undefined;
  return mediaOf(item);
}

function mediaOf({ type, mimeType, data }: Fields): ToolContent | undefined {
  if (type !== 'image' && type !== 'audio' && type !== 'file') return undefined;
  if (typeof mimeType !== 'string' || !MIME_TYPE.test(mimeType)) return undefined;
  return typeof data === 'string' && BASE64.test(data) ? { type, mimeType, data } : undefined;
}

function resourceOf({ text, blob, mimeType = DEFAULT_MIME_TYPE }: Fields): ToolContent | undefined {
  if (typeof text === 'string') return { type: 'text', text };
  return mediaOf({ type: 'file', mimeType, data: blob });
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
