// `npm run docs:diagrams`: draws the diagrams of `docs/diagrams`, in light and dark.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { renderFiles } from './diagrams/diagram-files.ts';

const folder = fileURLToPath(new URL('../docs/diagrams/', import.meta.url));
for (const name of globSync('*.mmd', { cwd: folder }))
  for (const file of renderFiles(name, readFileSync(folder + name, 'utf8')))
    writeFileSync(folder + file.name, file.svg);
