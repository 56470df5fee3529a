#!/usr/bin/env node
process.argv.splice(2, 0, 'mcp')
/** See `main.ts`. */
export const ended = import('./main.ts').then((main) => main.ended)
