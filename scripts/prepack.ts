import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';

// Runs in the package's own directory before it is packed: the tarball holds a fresh build and the license.
execFileSync(process.execPath, ['--run', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] });
copyFileSync(new URL('../LICENSE', import.meta.url), 'LICENSE');
