import type { ToolContent, ToolResult, WireBody } from '../../spec/wire.ts';

/** What Gemini 3 and later take in a tool's result, beside text. */
const MEDIA: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'application/pdf', 'text/plain']);

/** The part that answers a call. `id` is the provider's: it is never told one that was made up here. */
export function responsePart(result: ToolResult, id: string | undefined, model: string | undefined): WireBody {
  const { name, content, isError } = result;
  const takesMedia = Number(/gemini-(\d+)/.exec(model ?? '')?.[1] ?? 0) >= 3;
  const isMedia = (item: ToolContent): boolean => item.type !== 'text' && takesMedia && MEDIA.has(item.mimeType);
  const text = content
    .filter((item) => !isMedia(item))
    .map(resultText)
    .join('\n');
  const media = content.flatMap((item) =>
    item.type !== 'text' && isMedia(item) ? [{ inlineData: { mimeType: item.mimeType, data: item.data } }] : [],
  );
  const functionResponse = {
    ...(id === undefined ? {} : { id }),
    name,
    response: { [isError ? 'error' : 'output']: text },
    ...(media.length === 0 ? {} : { parts: media }),
  };
  return { functionResponse };
}

function resultText(content: ToolContent): string {
  if (content.type === 'text') return content.text;
  return `[${content.type}, ${content.mimeType}, ${Math.floor((content.data.length * 3) / 4)} bytes: cannot be shown here]`;
}
