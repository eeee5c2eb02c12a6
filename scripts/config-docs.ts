import { readFileSync, writeFileSync } from 'node:fs';
import { renderConfigPage, renderConfigSchema, renderConfigTypes } from './config-files.ts';

// `npm run docs:config`: generates types, JSON Schema and tables from the schema of the gateway's configuration.
const page = new URL('../docs/gateway/configuration.md', import.meta.url);
const gateway = new URL('../packages/gateway/', import.meta.url);
writeFileSync(page, renderConfigPage(readFileSync(page, 'utf8')));
writeFileSync(new URL('src/config/config.ts', gateway), renderConfigTypes());
writeFileSync(new URL('config.schema.json', gateway), renderConfigSchema());
