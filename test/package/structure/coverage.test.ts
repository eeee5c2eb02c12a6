import { describe, expect, it } from 'vitest';
import { proves } from '../../proves.ts';
import config from '../../../vitest.config.ts';
import { readText } from './source-files.ts';
import manifest from '../../../package.json' with { type: 'json' };

describe('coverage', () => {
  it('is measured by the test command in CI and by the check, which fail below 90 %', () => {
    proves('S2.TR-1.coverage', 'S2.DR-8.2.coverage-gate');
    expect(readText('.ci/run')).toMatch(/^SKILLWRIGHT_COVERAGE=on step npm test$/m);
    expect(manifest.scripts.check).toContain('npm test -- --coverage');
    const coverage = config.test?.coverage as
      | { enabled?: boolean; thresholds?: Record<string, unknown>; include?: string[] }
      | undefined;
    expect(coverage?.enabled).toBe(process.env['SKILLWRIGHT_COVERAGE'] === 'on');
    expect(coverage?.thresholds?.['lines']).toBeGreaterThanOrEqual(90);
    for (const layer of ['parse', 'policy', 'sources', 'catalog']) {
      expect(coverage?.thresholds?.[`packages/skillwright/src/${layer}/**`]).toEqual({ lines: 95 });
    }
    expect(coverage?.include).toEqual(['packages/*/src/**/*.ts']);
  });
});
