import type { ToolContent } from '../../spec/wire.ts';

/** What a tool answered, as text: other things are named. */
export function resultText(content: ToolContent): string {
  if (content.type === 'text') return content.text;
  return `[${content.type}, ${content.mimeType}, ${Math.floor((content.data.length * 3) / 4)} bytes: cannot be shown here]`;
}
