import { writeFileSync } from 'node:fs';
import { renderRestTypes } from './rest-type-file.ts';

// `npm run rest:types`: writes the types of what the REST interface answers, for the command line.
writeFileSync(
  new URL('../packages/skillwright/src/surfaces/cli/gateway/client/rest-types.ts', import.meta.url),
  renderRestTypes(),
);
