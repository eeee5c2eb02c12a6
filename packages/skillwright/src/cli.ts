#!/usr/bin/env node
// The program: the command line, and the surfaces that its commands start.
import { main } from './surfaces/cli/main.ts';

await main({ openMcp: () => import('./surfaces/mcp/stdio.ts') });
