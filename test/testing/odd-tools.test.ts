import { describe, expect, it } from 'vitest';
import { ask, bodyOf, errorOf, FORMATS, startModel, toolOf } from './model-requests.ts';

describe('tools that no provider accepts', () => {
  it.each(FORMATS)('are rejected in %s', async (format) => {
    const tool = toolOf(format, 'weather') as object;
    const model = await startModel({ script: [{ text: 'Fine.' }], strictness: {} });
    const tools = (list: unknown): object => ({ ...bodyOf(format), tools: list });
    const odd: readonly object[] = [
      ...[null, 1, 'x', [], {}, { __proto: 1 }, { type: 'weather' }, { type: 7 }].map((one) => tools([one])),
      tools({ __proto: 1 }),
      bodyOf(format, [null]),
      bodyOf(format, ['x']),
      bodyOf(format, [{ ...tool, description: 5, function: { name: 'a', description: 5 } }]),
    ];
    for (const body of odd) {
      const response = await ask(model, format, body as Record<string, unknown>);
      expect(response.status, JSON.stringify(body)).toBe(400);
      expect((await errorOf(response)).message).toMatch(/tool|Invalid value/i);
    }
  });

  it("are distinguished from the providers' own tools", async () => {
    const taken = [
      ['openai-responses', [{ type: 'web_search_preview_2025_03_11' }, { type: 'code_interpreter', container: 'c' }]],
      ['anthropic-messages', [{ type: 'web_search_20250305', name: 'web_search' }]],
      ['gemini', [{ googleSearch: {} }, { code_execution: {} }]],
    ] as const;
    for (const [format, tools] of taken) {
      const model = await startModel({ script: [{ text: 'Fine.' }], strictness: {} });
      expect((await ask(model, format, { ...bodyOf(format), tools })).status, format).toBe(200);
    }
  });
});
