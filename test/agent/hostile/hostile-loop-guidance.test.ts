import { describe, expect, it } from 'vitest';
import { findCause } from '../../../packages/skillwright/src/agent/recovery/cause.ts';
import { createOutlines, outlineMarkdown } from '../../../packages/skillwright/src/agent/recovery/outline.ts';
import { adviseRetry } from '../../../packages/skillwright/src/agent/recovery/retry.ts';
import { findToolSection } from '../../../packages/skillwright/src/agent/recovery/section.ts';

describe('guidance after a call with absurd parameters', () => {
  it.each(['x'.repeat(900_000), 'a\nb\r\n\u2028c'.repeat(100_000)])(
    'names the parameters on one short line',
    (name) => {
      const definition = {
        name: 'work',
        description: 'Works.',
        inputSchema: { type: 'object', properties: { path: { type: 'string' } }, additionalProperties: false },
      } as const;
      const error = 'The arguments are not valid.';
      const cause = findCause({ arguments: { [name]: 1 }, definition, error, code: 'InvalidArguments' });
      const question = { tool: 'work', code: undefined, error, isIdempotent: false, failures: 1, maxRetries: 3 };
      const { sentence } = adviseRetry({ ...question, cause });
      const told = `${cause.kind === 'invalid-parameter' ? cause.problem : ''} ${sentence}`;
      expect(told).toContain("it has no '");
      expect(told.length).toBeLessThan(500);
      expect(told).not.toMatch(/[\n\r\u2028]/);
    },
  );
});

describe('a skill with an absurd number of headings', () => {
  it('has an outline that ends at a limit', () => {
    const body = `## list_files\n\nHere.\n${'# .\n'.repeat(100_000)}`;
    expect(outlineMarkdown(body).headings).toHaveLength(2_000);
    expect(findToolSection(body, 'list_files')?.text).toBe('## list_files\n\nHere.');
  });

  it.each(['## Tool: `list_files`():', '## **list_files**...', '##  list_files.', '## list-files()'])(
    'may write the heading for a tool as %j',
    (heading) => {
      expect(findToolSection(`${heading}\n\nHere.`, 'list_files')?.text).toContain('Here.');
    },
  );

  it('is outlined once, until its cached outline makes room for others', () => {
    const outlineOf = createOutlines();
    const first = outlineOf('# A');
    expect(outlineOf('# A')).toBe(first);
    for (let count = 0; count < 100; count += 1) outlineOf(`# ${count}`);
    expect(outlineOf('# A')).not.toBe(first);
    expect(outlineOf('# A')).toEqual(first);
  });
});
