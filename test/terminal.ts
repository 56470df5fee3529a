import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'

/** A command that has a terminal of its own, and what it wrote there. */
export interface OnTerminal {
  readonly child: ChildProcess
  /** Everything shown so far, with the sequences that move the cursor. */
  shown(): string
  /** Resolves when the terminal shows this. Errors: it ended without. */
  shows(pattern: RegExp): Promise<void>
  /** The exit code. */
  readonly ended: Promise<number>
}

/** Whether this system can open a terminal: `script` of util-linux. `REQUIRE_TERMINAL=1` makes a lack of it a failure. */
export function lendsTerminals(): boolean {
  const isThere = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '')
  if (!isThere)
    assert.notEqual(process.env['REQUIRE_TERMINAL'], '1', 'REQUIRE_TERMINAL=1, and no script was found')
  return isThere
}

/** Where a command runs. */
interface Place {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** Runs a command under a pseudo-terminal. Its end is awaited by the test, or it is killed with it. */
export function openOnTerminal(t: TestContext, command: readonly string[], place: Place): OnTerminal {
  const terminal = startOnTerminal(command, place)
  t.after(() => terminal.child.kill('SIGTERM')) // handed on to the command; of a hang-up it takes no notice
  return terminal
}

/** Runs a command under a pseudo-terminal; the caller awaits its end. */
export function startOnTerminal(command: readonly string[], options: Place): OnTerminal {
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  const child = spawn('script', ['--quiet', '--return', '--command', `exec ${quoted}`, '/dev/null'], {
    ...options,
    env: { TERM: 'xterm', SHELL: '/bin/sh', ...options.env },
    stdio: ['pipe', 'pipe', 'inherit'], // an open input: the end of input would be typed
  })
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  const ended = once(child, 'close').then(([code]) => Number(code))
  return {
    child,
    shown: () => shown,
    async shows(pattern) {
      while (!pattern.test(shown)) {
        const more = await Promise.race([once(child.stdout, 'data'), ended.then(() => undefined)])
        if (more === undefined && !pattern.test(shown)) throw new Error(`not shown: ${pattern}\n${shown}`)
      }
    },
    ended,
  }
}
