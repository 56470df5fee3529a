#!/usr/bin/env node
// No static import: stdout must be guarded before any other module can write to it.

/** True if MCP may be served. A false positive is harmless. */
const mayServeMcp = process.argv.slice(2).includes('mcp')
/** See `error-table.ts`, which is not loaded yet. */
const NOT_FOUND_EXIT = 4
const write = process.stdout.write.bind(process.stdout)

/** Redirects output of modules, workers and `console` to stderr; stdout carries only results, or messages for the client. */
process.stdout.write = ((...written: Parameters<typeof write>) =>
  process.stderr.write(...written)) as typeof write

const stdout: import('./process-io.ts').RealStdout = {
  write: (text, done) => write(text, done),
  on: (event, listener) => process.stdout.on(event, listener),
  isTTY: process.stdout.isTTY === true,
  columns: process.stdout.columns,
}

/** The entry of the build waits for it: what is CommonJS cannot. */
export const ended = main(process.argv.slice(2))

async function main(argv: readonly string[]): Promise<never> {
  if (!hasFolder()) {
    process.stderr.write('satchel: The working directory was deleted. Change to a folder that exists.\n')
    process.exit(argv[1] === 'hook' ? 0 : NOT_FOUND_EXIT) // `satchel handoff hook` never fails its harness
  }
  const isFirst = argv[0] === 'mcp' && !process.stdin.isTTY
  const onServing = isFirst ? (await import('./process-signals.ts')).exitOnSignals() : undefined
  const output = isFirst ? await prepared(argv) : stdout
  // The client left before it needed the host: nothing is under way.
  if (output === 'ended') process.exit(0)
  if (mayServeMcp) (await import('./start-up-memory.ts')).limitYoungGeneration()
  ;(await import('./compiled-code.ts')).keepCompiledCode(process.env, argv)
  const { run } = await import('./run.ts')
  const { refuseEarlyExit } = await import('./process-signals.ts')
  const allowExit = refuseEarlyExit()
  const code = await run(argv, { stdin: process.stdin, stdout: output, onServing })
  allowExit()
  // `run` resolves when the last result is written; do not wait for remaining timers and watchers.
  process.exit(code)
}

/** What a client asks first is answered before the host is loaded. */
async function prepared(argv: readonly string[]) {
  const { findAnswers } = await import('./prepared/find-answers.ts')
  const answers = await findAnswers({ argv, env: process.env, cwd: process.cwd() })
  if (!answers) return stdout
  const { answerFirst } = await import('./prepared/answer-first.ts')
  return answerFirst({ stdin: process.stdin, stdout }, answers)
}

function hasFolder(): boolean {
  try {
    return process.cwd() !== ''
  } catch {
    return false
  }
}
