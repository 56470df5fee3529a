#!/usr/bin/env node
// No static import: stdout has to be guarded before any other module can write to it.

/** True when stdout may be the wire of the MCP protocol. Too often is harmless: results go through `stdout.write`. */
const mayServeMcp = process.argv.slice(2).includes('mcp')
const write = process.stdout.write.bind(process.stdout)

/** Sends what a module, a worker or `console` prints to stderr; stdout carries only the client's lines. */
if (mayServeMcp) process.stdout.write = process.stderr.write.bind(process.stderr)

const stdout: import('./process-io.ts').RealStdout = {
  write: (text, done) => write(text, done),
  on: (event, listener) => process.stdout.on(event, listener),
  isTTY: process.stdout.isTTY === true,
  columns: process.stdout.columns,
}

if (mayServeMcp) (await import('./start-up-memory.ts')).limitYoungGeneration()
const { run } = await import('./run.ts')
// `run` ends when the last result was written; what still lives then (a timer, a watcher) is not waited for.
process.exit(await run(process.argv.slice(2), { stdin: process.stdin, stdout }))

export {}
