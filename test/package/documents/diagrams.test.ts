import { describe, expect, it } from 'vitest';
import { renderFiles } from '../../../site/diagrams/diagram-files.ts';
import { renderDiagram } from '../../../site/diagrams/render-diagram.ts';
import type { Palette } from '../../../site/diagrams/svg.ts';
import { listFiles, readSources, readText } from '../structure/source-files.ts';
import { readMarkdown } from './markdown.ts';

const palette: Palette = {
  text: 'black',
  muted: 'grey',
  line: 'grey',
  box: 'white',
  border: 'grey',
  accent: 'blue',
  background: 'white',
};
const blocks = readSources('*.md', 'docs/**/*.md')
  .flatMap(({ path, text }) => readMarkdown(path, text).blocks)
  .filter(({ language }) => language === 'mermaid');

describe('diagrams in pages', () => {
  it.each(blocks.map((block) => [`${block.path}:${block.line}`, block.code] as const))(
    '%s can be drawn',
    (_name, code) => {
      const svg = renderDiagram(code, palette);
      expect(svg).toMatch(/^<svg .* role="img" aria-label="[^"]+".*<\/svg>$/);
      expect(svg).not.toMatch(/NaN|undefined|Infinity/);
    },
  );

  it('have a text alternative', () => {
    const drawn = blocks.filter(({ path }) => path !== 'docs/reference/import-map.md');
    expect(drawn.length).toBeGreaterThan(2);
    for (const { code } of drawn) expect(code).toMatch(/accTitle: \S.*\n\s*accDescr: \S/);
  });
});

describe('pictures of diagrams', () => {
  const names = listFiles('docs/diagrams/*.mmd').map((path) => path.replace('docs/diagrams/', ''));

  it('are exactly those that `npm run docs:diagrams` draws', () => {
    const files = names.flatMap((name) => renderFiles(name, readText(`docs/diagrams/${name}`)));
    expect(files.map(({ name }) => `docs/diagrams/${name}`).sort()).toEqual(listFiles('docs/diagrams/*.svg'));
    for (const { name, svg } of files) expect(readText(`docs/diagrams/${name}`)).toBe(svg);
  });
});

describe('a diagram', () => {
  it('is rejected if it has a line that our renderer does not know', () => {
    expect(() => renderDiagram('pie\n"a": 1', palette)).toThrow('no such header: pie');
    expect(() => renderDiagram('flowchart LR\na{"b"} --> c', palette)).toThrow('no such node: a{"b"}');
    expect(() => renderDiagram('sequenceDiagram\nactivate A', palette)).toThrow(
      'no such line in a sequence: activate A',
    );
    expect(() => renderDiagram('sequenceDiagram\nparticipant A\nA->>B: text', palette)).toThrow("no participant 'B'");
  });

  it('is rejected when its arrows form a cycle', () => {
    expect(() => renderDiagram('flowchart LR\na --> b --> a', palette)).toThrow('draw no circles');
  });

  it('shows its text, and treats none of it as markup', () => {
    const svg = renderDiagram('flowchart LR\na["<b> & c<br/>second line"] -->|"why"| b', palette);
    expect(svg).toContain('>&lt;b&gt; &amp; c</text>');
    expect(svg).toContain('>second line</text>');
    expect(svg).toContain('>why</text>');
  });
});
