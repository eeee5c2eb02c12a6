import { mkdirSync, writeFileSync } from 'node:fs';
import { renderDiagnosticsPage, renderErrorsPage, renderGatewayErrorsPage } from './error-pages.ts';

// `npm run docs:errors`: writes the reference pages of error and diagnostic codes from their tables.
const reference = new URL('../docs/reference/', import.meta.url);
mkdirSync(reference, { recursive: true });
writeFileSync(new URL('errors.md', reference), renderErrorsPage());
writeFileSync(new URL('gateway-errors.md', reference), renderGatewayErrorsPage());
writeFileSync(new URL('diagnostics.md', reference), renderDiagnosticsPage());
