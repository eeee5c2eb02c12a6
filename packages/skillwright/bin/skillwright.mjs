#!/usr/bin/env node
// Under version control, unlike what it imports: npm links only commands that exist before the build.
// The rest is imported only where it can work, so this file is written for any Node.
const NEEDED = [22, 19];
const [major, minor] = process.versions.node.split('.').map(Number);

if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) await import('../dist/cli.mjs');
else {
  const message = `skillwright needs Node ${NEEDED.join('.')} or later, and this is Node ${process.versions.node} (${process.execPath}).`;
  const hint = 'Install a later one, from nodejs.org or with your version manager, and try again.';
  if (process.argv.includes('--json')) {
    const data = { needed: NEEDED.join('.'), found: process.versions.node, hints: [hint] };
    process.stdout.write(`${JSON.stringify({ error: { code: 'NodeTooOld', message, data } }, undefined, 2)}\n`);
  } else process.stderr.write(`error: ${message}\n  ${hint}\n`);
  process.exitCode = 1;
}
