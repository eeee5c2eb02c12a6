import { writeFileSync } from 'node:fs';
import { renderImportMap } from './import-map.ts';

// `npm run docs:imports`: draws which folder imports which.
writeFileSync(new URL('../docs/reference/import-map.md', import.meta.url), renderImportMap());
