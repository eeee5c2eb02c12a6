import { defineConfig, type UserConfig } from 'tsdown';

const config: UserConfig = defineConfig({
  entry: { index: 'src/index.ts', cli: 'src/surfaces/cli/main.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  dts: { oxc: true },
  clean: true,
  sourcemap: false,
  fixedExtension: true,
});

export default config;
