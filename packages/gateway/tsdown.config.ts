import { defineConfig, type UserConfig } from 'tsdown';

// Readable output in one file. Dependencies, the library among them, stay imports: nobody gets two copies of it.
const config: UserConfig = defineConfig({
  entry: { index: 'src/index.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  dts: { oxc: true },
  deps: { neverBundle: true },
  fixedExtension: true,
  minify: false,
  sourcemap: false,
  clean: true,
  // The paths in it lead to the sources of the library, for the type checker.
  tsconfig: false,
});

export default config;
