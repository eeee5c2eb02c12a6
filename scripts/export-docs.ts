import { writeFileSync } from 'node:fs';
import { renderExportsPage } from './exports-page.ts';
import { renderPublicNames } from './public-names.ts';

// `npm run docs:exports`: writes what the packages export, after a change that is meant.
writeFileSync(new URL('../test/package/public-names.txt', import.meta.url), renderPublicNames());
writeFileSync(new URL('../docs/reference/exports.md', import.meta.url), renderExportsPage());
