import { describe, expect, it } from 'vitest';
import { proves } from '../../proves.ts';
import config from '../../../vitest.config.ts';
import manifest from '../../../package.json' with { type: 'json' };

describe('coverage', () => {
  it('is measured by the test command, and below 90 % the command fails', () => {
    proves('S2.TR-1.coverage', 'S2.DR-8.2.coverage-gate');
    expect(manifest.scripts.test).toContain('--coverage');
    const coverage = config.test?.coverage as { thresholds?: Record<string, unknown>; include?: string[] } | undefined;
    expect(coverage?.thresholds?.['lines']).toBeGreaterThanOrEqual(90);
    for (const layer of ['parse', 'policy', 'sources', 'catalog']) {
      expect(coverage?.thresholds?.[`packages/skillwright/src/${layer}/**`]).toEqual({ lines: 95 });
    }
    expect(coverage?.include).toEqual(['packages/*/src/**/*.ts']);
  });
});
