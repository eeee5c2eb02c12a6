import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SkillInvocationError, type SkillSource, type TrustLevel } from '../../packages/skillwright/src/index.ts';
import { createRuntime, type Runtime, type SkillFiles, type Snapshot } from '../../packages/skillwright/src/host.ts';
import { goodSkill, skillText } from '../support/skill-tree.ts';

/** A skill to put into a source; `directory` may be nested (`group/skill`). */
export interface SourceSkill {
  readonly directory: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
}

export interface SourceUnderTest {
  /** Makes a source with exactly these skills. Call it in a test body. */
  makeSource(skills: readonly SourceSkill[], options?: { readonly trust: TrustLevel }): SkillSource;
  /** The expected names of the skill in a directory, if they are not simply its own name with and without its groups. */
  nameOf?(directory: string): { readonly name: string; readonly qualifiedName: string };
}

const WHOLE = 1_000_000;

/** Tests the contract that every source of skills has with the catalog, whatever it reads from. */
export function describeSkillSource(kind: string, source: SourceUnderTest): void {
  const { makeSource } = source;
  const runtimeOf = (skills: readonly SourceSkill[]): Runtime => createRuntime({ sources: [makeSource(skills)] });
  const scan = (skills: readonly SourceSkill[]): Snapshot => runtimeOf(skills).catalog.refreshSync();
  const scanOne = (text: string | Uint8Array, more: SourceSkill['files'] = {}): Snapshot =>
    scan([{ directory: 'subject', files: { 'SKILL.md': text, ...more } }]);
  const filesOf = (files: SourceSkill['files']): SkillFiles => {
    const record = scanOne(goodSkill('subject'), files).find('subject');
    if (record === undefined) throw new Error('the skill was not found');
    return record.files;
  };

  describe(`a ${kind} source`, () => {
    it('finds skills flat and nested in groups, sorted by path', () => {
      const directories = ['zeta', 'group/inner', 'group-two', 'alpha', 'group/deep/er'];
      const found = scan(directories.map((directory) => ({ directory, files: { 'SKILL.md': goodSkill(directory) } })));
      const sorted = ['alpha', 'group-two', 'group/deep/er', 'group/inner', 'zeta'];
      expect(found.skills.map((skill) => skill.description)).toEqual(
        sorted.map((directory) => `Does ${directory}. Use when asked for ${directory}.`),
      );
      expect(found.skills.map((skill) => skill.directoryName)).toEqual(['alpha', 'group-two', 'er', 'inner', 'zeta']);
    });

    it.each([
      ['inner', 'group/deep/inner', 'group:deep:inner'],
      ['flat', 'flat', 'flat'],
    ])('names %s at %s', (name, directory, qualifiedName) => {
      const found = scan([{ directory, files: { 'SKILL.md': goodSkill(name) } }]);
      const expected = source.nameOf?.(directory) ?? { name, qualifiedName };
      expect(found.skills).toMatchObject([expected]);
      expect(found.find(expected.qualifiedName)?.metadata).toBe(found.skills[0]);
    });

    it('gives the same result when it is scanned again, synchronously and asynchronously', async () => {
      const runtime = runtimeOf([
        { directory: 'b', files: { 'SKILL.md': goodSkill('b'), 'tools.json': '{' } },
        { directory: 'a', files: { 'SKILL.md': 'No frontmatter here.' } },
        { directory: 'bad', files: { 'SKILL.md': '' } },
      ]);
      const facts = ({ skills, refused, diagnostics }: Snapshot): unknown => ({ skills, refused, diagnostics });
      const first = facts(runtime.catalog.refreshSync());
      expect(facts(runtime.catalog.refreshSync())).toEqual(first);
      expect(facts(await runtime.catalog.refresh())).toEqual(first);
    });

    it.each(['skill.md', 'Skill.md', 'SKILL.MD'])('recognizes %s as SKILL.md', (name) => {
      const found = scan([{ directory: 'subject', files: { [name]: goodSkill('subject') } }]);
      expect(found.skills).toMatchObject([{ directoryName: 'subject' }]);
      expect(found.skills[0]?.filePath.endsWith(name)).toBe(true);
    });

    it('yields to other work in an asynchronous scan, and stops when its signal aborts', async () => {
      const items = Array.from({ length: 150 }, () => '{ a: "\\u0041" }').join(', ');
      const text = skillText({
        name: 'slow',
        description: 'Needs the full parser.',
        metadata: `{ items: [${items}] }`,
      });
      const skills = Array.from({ length: 250 }, (_, index) => ({
        directory: `s${index}`,
        files: { 'SKILL.md': text },
      }));
      const { catalog } = runtimeOf(skills);
      let turns = 0;
      let isDone = false;
      const counting = (async () => {
        for (; !isDone; turns += 1) await nextTurn();
      })();
      const kept = await catalog.refresh();
      isDone = true;
      await counting;
      expect(turns).toBeGreaterThan(1);

      const reason = new Error('no longer wanted');
      await expect(catalog.refresh(AbortSignal.abort(reason))).rejects.toBe(reason);
      const controller = new AbortController();
      setImmediate(() => controller.abort(reason));
      await expect(catalog.refresh(controller.signal)).rejects.toBe(reason);
      expect(catalog.snapshot).toBe(kept);
    });

    it('declares its skills with the given trust, and their real locations', () => {
      const skills = [{ directory: 'subject', files: { 'SKILL.md': goodSkill('subject') } }];
      const trustOf = (made: SkillSource): unknown =>
        createRuntime({ sources: [made] }).catalog.refreshSync().skills[0]?.trust;
      expect(trustOf(makeSource(skills))).toBe('trusted');
      expect(trustOf(makeSource(skills, { trust: 'untrusted' }))).toBe('untrusted');
      expect(trustOf(makeSource(skills, { trust: 'blocked' }))).toBeUndefined();
      const asked: unknown[] = [];
      const made = makeSource(skills, { trust: 'untrusted' });
      const snapshot = createRuntime({ sources: [made], trust: (subject) => void asked.push(subject) });
      const [skill] = snapshot.catalog.refreshSync().skills;
      expect(asked).toEqual([{ realDir: skill?.baseDir, declared: 'untrusted' }]);
    });

    it('reports whether a skill has tools', () => {
      const tools = JSON.stringify([{ name: 'count', description: 'Counts.', script: 'scripts/count.js' }]);
      const found = scanOne(goodSkill('subject'), {
        'tools.json': tools,
        'scripts/count.js': 'export default () => 1;',
      });
      expect(found.skills).toMatchObject([{ tools: [{ name: 'count', script: 'scripts/count.js' }] }]);
      expect(scanOne(goodSkill('subject')).skills).toMatchObject([{ tools: [] }]);
    });

    it.each<[string, string | Uint8Array]>([
      ['nothing', ''],
      ['bytes that are not text', Uint8Array.from([0xff, 0xfe, 0, 1, 2])],
      ['NUL bytes', 'abc\0def'],
      ['broken YAML', '---\nname: [\n  - }\n: : :\n---\n'],
      ['an alias to nothing', '---\nname: *gone\n---\n'],
      ['half a frontmatter', '---\nname: half'],
      ['a code engine', '---js\nprocess.exit(1)\n---\n'],
      ['one character', '-'],
    ])('never throws on a SKILL.md with %s, and keeps the other skills', (_what, content) => {
      const found = scan([
        { directory: 'bad', files: { 'SKILL.md': content } },
        { directory: 'good', files: { 'SKILL.md': goodSkill('good') } },
      ]);
      expect(found.skills.map((skill) => skill.directoryName)).toContain('good');
      const isListed = found.skills.some((skill) => skill.directoryName === 'bad');
      const isRefused = found.refused.some((refused) => refused.directoryName === 'bad');
      expect([isListed, isRefused].filter(Boolean)).toHaveLength(1);
      expect(found.diagnostics.some(({ path }) => path.includes('bad'))).toBe(true);
    });
  });

  describe(`the head of a SKILL.md in a ${kind} source`, () => {
    it('is read until the frontmatter ends', () => {
      const filler = Array.from({ length: 300 }, (_, index) => `extra-${index}: ${'x'.repeat(60)}\n`).join('');
      const found = scanOne(`---\nname: subject\n${filler}description: At the far end.\n---\nBody.\n`);
      expect(found.skills).toMatchObject([{ description: 'At the far end.' }]);
      expect(found.diagnostics).toEqual([]);
    });

    // Shifts the text byte by byte, so that the end of the first read falls on each byte of the important part.
    const offsets = Array.from({ length: 14 }, (_, index) => 4_096 - 10 + index);

    it.each(['é', '€', '🦉'])('may be split inside %s', (character) => {
      for (const offset of offsets) {
        const padding = 'x'.repeat(offset - '---\nname: subject\ndescription: '.length);
        const description = `${padding}${character} end`;
        const found = scanOne(`---\nname: subject\ndescription: ${description}\n---\nBody ${character}.\n`);
        expect(found.skills).toMatchObject([{ description }]);
        expect(found.diagnostics.map(({ code }) => code)).toEqual(['description-long']);
      }
    });

    it.each(['é', '€', '🦉'])(
      'may be split inside %s of a first paragraph that becomes the description',
      (character) => {
        for (const offset of offsets) {
          const found = scanOne(`${'\n'.repeat(offset)}${character} is a description.\n`);
          expect(found.skills).toMatchObject([{ description: `${character} is a description.` }]);
        }
      },
    );

    it.each([
      ['the closing line', '\n---\n'],
      ['a closing line with space after it', '\n---   \n'],
      ['a closing line with a return', '\r\n---\r\n'],
      ['a line that only begins like the closing one', '\n---- not yet\n---\n'],
    ])('may be split inside %s', (_what, closing) => {
      const opening = '---\nname: subject\ndescription: Cut.\nnote: ';
      for (const offset of offsets) {
        const text = `${opening}${'x'.repeat(offset - opening.length)}${closing}First line.\n`;
        const { catalog } = runtimeOf([{ directory: 'subject', files: { 'SKILL.md': text } }]);
        const record = catalog.refreshSync().find('subject');
        expect(record?.metadata.description).toBe('Cut.');
        expect(record && catalog.bodySync(record)).toBe('First line.\n');
      }
    });
  });

  describe(`the files of a skill in a ${kind} source`, () => {
    const bundled = {
      'reference.md': 'Café.\n',
      'scripts/run.py': 'print(1)\n',
      'data/raw.bin': Uint8Array.from([0, 255, 10]),
    };

    it('are listed by path, with their size', () => {
      const { files, more } = filesOf(bundled).list(100);
      expect(files.map(({ path, bytes }) => [path, bytes])).toEqual([
        ['SKILL.md', Buffer.byteLength(goodSkill('subject'))],
        ['data/raw.bin', 3],
        ['reference.md', 7],
        ['scripts/run.py', 9],
      ]);
      expect(more).toBe(false);
    });

    it('are listed up to the requested number, with a note that there are more', () => {
      const { files, more } = filesOf(bundled).list(2);
      expect(files).toHaveLength(2);
      expect(more).toBe(true);
    });

    it('are listed without directories that never contain skill files', () => {
      const files = filesOf({
        'node_modules/x/index.js': '1',
        '.git/config': '2',
        '__pycache__/a.pyc': '3',
        '.venv/cfg': '4',
      });
      expect(files.list(100).files.map(({ path }) => path)).toEqual(['SKILL.md']);
    });

    it('are read byte for byte, synchronously and asynchronously', async () => {
      const files = filesOf(bundled);
      for (const [path, content] of Object.entries(bundled)) {
        const expected = Buffer.from(content);
        expect(Buffer.from(files.readSync(path, WHOLE))).toEqual(expected);
        expect(Buffer.from(await files.read(path, WHOLE))).toEqual(expected);
      }
      const text = Buffer.from(goodSkill('subject'));
      expect(Buffer.from(files.readSkillSync(WHOLE))).toEqual(text);
      expect(Buffer.from(await files.readSkill(WHOLE))).toEqual(text);
    });

    it('are found by any spelling of a path that stays inside', () => {
      const files = filesOf(bundled);
      for (const path of ['scripts/run.py', './scripts/run.py', 'scripts/../scripts//run.py']) {
        expect(files.has(path)).toBe(true);
        expect(files.resolve(path)).toBe(files.resolve('scripts/run.py'));
        expect(Buffer.from(files.readSync(path, WHOLE)).toString()).toBe('print(1)\n');
      }
    });

    const refusal = (work: () => unknown): unknown => {
      try {
        return work();
      } catch (error) {
        return error;
      }
    };
    const codeOf = (error: unknown): unknown => (SkillInvocationError.isInstance(error) ? error.code : error);

    it.each([
      '..',
      '../subject/SKILL.md',
      'scripts/../../x',
      '/etc/passwd',
      '\\\\host\\share',
      'C:\\x',
      'c:x',
      'a\0b',
      'SKILL.md\0',
      '',
    ])('are refused at %j', async (path) => {
      const files = filesOf(bundled);
      expect(files.has(path)).toBe(false);
      expect(codeOf(refusal(() => files.resolve(path)))).toBe('PathNotAllowed');
      expect(codeOf(refusal(() => files.readSync(path, WHOLE)))).toBe('PathNotAllowed');
      await expect(files.read(path, WHOLE)).rejects.toMatchObject({
        name: 'SkillInvocationError',
        code: 'PathNotAllowed',
      });
    });

    it.each(['missing.md', 'scripts/missing.py', 'SKILL.md/x', 'reference.md/'])('are missing at %j', async (path) => {
      const files = filesOf(bundled);
      expect(files.has(path)).toBe(false);
      expect(codeOf(refusal(() => files.resolve(path)))).toBe('FileNotFound');
      expect(codeOf(refusal(() => files.readSync(path, WHOLE)))).toBe('FileNotFound');
      await expect(files.read(path, WHOLE)).rejects.toMatchObject({ code: 'FileNotFound' });
    });

    it.each(['scripts', '.'])('do not include the directory %j', async (path) => {
      const files = filesOf(bundled);
      expect(files.has(path)).toBe(false);
      expect(refusal(() => files.resolve(path))).toBeInstanceOf(SkillInvocationError);
      expect(refusal(() => files.readSync(path, WHOLE))).toBeInstanceOf(SkillInvocationError);
      await expect(files.read(path, WHOLE)).rejects.toBeInstanceOf(SkillInvocationError);
    });

    it('are read up to the requested size', async () => {
      const files = filesOf(bundled);
      expect(codeOf(refusal(() => files.readSync('scripts/run.py', 8)))).toBe('FileTooLarge');
      await expect(files.read('scripts/run.py', 8)).rejects.toMatchObject({ code: 'FileTooLarge' });
      expect(files.readSync('scripts/run.py', 9)).toHaveLength(9);
    });
  });
}
