import { describe, expect, it } from 'vitest';
import { CONFIG_VARIABLES } from '../../../packages/gateway/src/config/environment.ts';
import { renderConfigPage, renderConfigSchema, renderConfigTypes } from '../../../scripts/config-files.ts';
import { readText } from '../structure/source-files.ts';

const PAGE = 'docs/gateway/configuration.md';

describe("the gateway's configuration", () => {
  it('has the tables, types and JSON Schema that `npm run docs:config` generates', () => {
    expect(renderConfigPage(readText(PAGE))).toBe(readText(PAGE));
    expect(renderConfigTypes()).toBe(readText('packages/gateway/src/config/config.ts'));
    expect(renderConfigSchema()).toBe(readText('packages/gateway/config.schema.json'));
  });

  it('has every variable in a table, with generated defaults', () => {
    const page = readText(PAGE);
    expect(CONFIG_VARIABLES.length).toBeGreaterThan(40);
    expect(CONFIG_VARIABLES.filter(({ name }) => !page.includes(` | \`${name}\` `))).toEqual([]);
    const edited = page.replace('`4747`', '`1`');
    expect(edited).not.toBe(page);
    expect(renderConfigPage(edited)).toBe(page);
  });
});
