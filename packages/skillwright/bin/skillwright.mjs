#!/usr/bin/env node
// Under version control, unlike what it imports: npm links only commands that exist before the build.
import '../dist/cli.mjs';
