import { writeFileSync } from 'node:fs';
import { renderExportsPage } from './exports-page.ts';
import { renderPublicNames } from './public-names.ts';

// `npm run docs:exports`: writes the lists of what the packages export. Run it after an intended change.
writeFileSync(new URL('../test/package/public-names.txt', import.meta.url), renderPublicNames());
writeFileSync(new URL('../docs/reference/exports.md', import.meta.url), renderExportsPage());
