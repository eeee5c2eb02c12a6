// Writes the API reference into `generated/api`, with a page for each entry of the packages.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readEntries, type ApiEntry, type ApiName } from './api/read-entries.ts';
import { toAnchor } from './anchors.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));
const folder = fileURLToPath(new URL('generated/api', import.meta.url));
const SECTIONS = {
  function: 'Functions',
  class: 'Classes',
  error: 'Errors',
  constant: 'Constants',
  type: 'Types',
} as const;

const entries = readEntries(repository, ['packages/skillwright', 'packages/gateway']);
/** The page that describes each name: the page of the first entry that exports it. */
const homes = new Map<string, { readonly page: string; readonly id: string }>();
for (const entry of entries)
  for (const { name, id } of entry.names) if (!homes.has(name)) homes.set(name, { page: pageOf(entry), id });

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const entry of entries) writeFileSync(`${folder}/${pageOf(entry)}`, renderPage(entry));
console.log(`The API reference has ${homes.size} names on ${entries.length} pages.`);

function pageOf({ specifier }: ApiEntry): string {
  return `${specifier.replace(/^@/, '').replaceAll('/', '-')}.md`;
}

function renderPage(entry: ApiEntry): string {
  const page = pageOf(entry);
  const isHere = (item: ApiName): boolean =>
    homes.get(item.name)?.page === page && homes.get(item.name)?.id === item.id;
  const sections = Object.entries(SECTIONS).flatMap(([kind, title]) => {
    const items = entry.names.filter((item) => sectionOf(item) === kind && isHere(item));
    return items.length === 0 ? [] : [`## ${title}`, ...items.map((item) => renderName(item, page))];
  });
  const elsewhere = entry.names.filter((item) => !isHere(item)).map(({ name }) => linkTo(name, page));
  const also = elsewhere.length === 0 ? [] : ['## Also exported', elsewhere.join(', ')];
  const example = `\`\`\`ts\nimport { ${entry.first} } from '${entry.specifier}';\n\`\`\``;
  return `${[`# ${entry.specifier}`, example, ...sections, ...also].join('\n\n')}\n`;
}

function sectionOf({ kind, name }: ApiName): keyof typeof SECTIONS {
  return kind === 'class' && /(?:Error|Exception)$/.test(name) ? 'error' : kind;
}

function renderName({ name, comment, code }: ApiName, page: string): string {
  const words = new Set(code.match(/\b[A-Za-z]\w*\b/g));
  const related = [...words].filter((word) => word !== name && homes.has(word) && /^[A-Z]/.test(word)).sort();
  const links = related.length === 0 ? [] : [`Uses ${related.map((word) => linkTo(word, page)).join(', ')}.`];
  return [`### ${name}`, ...(comment === '' ? [] : [toMarkdown(comment)]), `\`\`\`ts\n${code}\n\`\`\``, ...links].join(
    '\n\n',
  );
}

function linkTo(name: string, page: string): string {
  const home = homes.get(name)?.page ?? page;
  return `[\`${name}\`](${home === page ? '' : home}#${toAnchor(name)})`;
}

/** A comment's own text; text that looks like a tag or a template outside code is escaped. */
function toMarkdown(comment: string): string {
  const parts = comment.replaceAll(/\{@link ([^}]+)\}/g, '`$1`').split(/(`[^`]*`)/);
  return parts
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '{&#123;')))
    .join('');
}
