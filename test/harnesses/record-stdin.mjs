/**
 * `record-stdin.mjs LOG PROGRAM WORDS…` runs a program and copies its standard input to LOG, after a first line with the
 * session that the environment names. The lab starts satchel so, as a server and as a hook.
 */
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'

const [log, program, ...words] = process.argv.slice(2)
appendFileSync(log, `${JSON.stringify({ session: process.env.CLAUDE_CODE_SESSION_ID ?? null })}\n`)

const child = spawn(program, words, { stdio: ['pipe', 'inherit', 'inherit'] })
process.stdin.on('data', (chunk) => {
  appendFileSync(log, chunk)
  child.stdin.write(chunk)
})
process.stdin.on('end', () => child.stdin.end())
child.stdin.on('error', () => {}) // it ended first; its exit code says how
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code) => process.exit(code ?? 1))
