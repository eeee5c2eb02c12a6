import { writeFileSync } from 'node:fs';
import { renderCommandsPage } from './commands-page.ts';

// `npm run docs:commands`: writes the reference page of commands from their tables.
writeFileSync(new URL('../docs/reference/commands.md', import.meta.url), renderCommandsPage());
