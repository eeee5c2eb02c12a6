import { writeFileSync } from 'node:fs';
import { renderRestTypes } from './rest-type-file.ts';

// `npm run rest:types`: generates the types of the REST responses that the command line uses.
writeFileSync(
  new URL('../packages/skillwright/src/surfaces/cli/gateway/client/rest-types.ts', import.meta.url),
  renderRestTypes(),
);
