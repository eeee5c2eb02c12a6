// Follows every link of the built pages: to pages, to their anchors and to files. Links that leave the site are not followed.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('dist', import.meta.url));
const files = globSync('**/*.html', { cwd: dist }).map((path) => path.split(sep).join('/'));
const pages = new Map(files.map((path) => [path, readFileSync(join(dist, path), 'utf8')]));
const anchors = new Map([...pages].map(([path, html]) => [path, new Set(valuesOf(html, 'id'))]));

const links = [...pages].flatMap(([path, html]) =>
  [...valuesOf(html, 'href'), ...valuesOf(html, 'src')].map((link) => ({ path, link })),
);
const local = links.filter(({ link }) => !/^(?:[a-z]+:|\/\/)/.test(link));
const broken = local.filter(({ path, link }) => !leadsSomewhere(path, link));
for (const { path, link } of broken) console.error(`${path}: the link '${link}' leads nowhere.`);
console.log(`${local.length} links on ${pages.size} pages, ${broken.length} broken.`);
if (broken.length > 0 || pages.size < 50) process.exitCode = 1;

function leadsSomewhere(from: string, link: string): boolean {
  const [path = '', anchor = ''] = decodeURIComponent(link.replaceAll('&amp;', '&')).split('#');
  const target =
    path === '' ? from : posix.join(path.startsWith('/') ? '' : posix.dirname(from), path).replace(/^\//, '');
  const page = [target, `${target}.html`, posix.join(target, 'index.html')].find((name) => pages.has(name));
  if (page === undefined) return existsSync(join(dist, target)) && anchor === '';
  return anchor === '' || anchors.get(page)?.has(anchor) === true;
}

function valuesOf(html: string, attribute: string): string[] {
  return [...html.matchAll(new RegExp(`<[^>]*\\s${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) => value);
}
