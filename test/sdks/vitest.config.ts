import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { ENTRY_ALIASES } from '../../scripts/public-entries.ts';

// Run by `npm run test:sdks`, which installs the clients first. Their names keep these files out of the quick tests, which
// need none of the clients. The packages find each other's sources under their public names, as everywhere else.
const config: ViteUserConfig = defineConfig({
  resolve: {
    alias: [...ENTRY_ALIASES],
  },
  test: { name: 'sdks', include: ['**/*.sdk.ts'], exclude: ['**/node_modules/**'], testTimeout: 30_000 },
});

export default config;
