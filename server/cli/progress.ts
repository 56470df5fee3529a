import type { SingleBar } from 'cli-progress'
import type { Terminal } from '../contract/advanced/command.ts'

/** Progress of one call on stderr, shown in whole steps. Ended by `stop`, which clears the bar. */
export interface ProgressLine {
  update(done: number, total?: number, message?: string): void
  stop(): void
}

/** Without a terminal, a line is written when the count changes and otherwise at most this often. */
const NOTE_EVERY_MS = 10_000

/** Shows a bar on a terminal, otherwise one line per step and at most one per 10 s within a step; nothing when quiet. */
export function openProgress(
  terminal: Pick<Terminal, 'quiet' | 'stderrIsTty' | 'note'>,
  now: () => Date,
): ProgressLine {
  if (terminal.quiet) return { update() {}, stop() {} }
  const line = terminal.stderrIsTty ? bar() : notes(terminal, now)
  return {
    // Shares of a step are sums of fractions: correct rounding errors just below a whole number.
    update: (done, total, message) => line.update(Math.floor(done + 1e-9), total, message),
    stop: line.stop,
  }
}

function bar(): ProgressLine {
  let drawn: SingleBar | undefined
  let isLoading = false
  let isStopped = false
  let latest: { readonly done: number; readonly total: number; readonly message: string } | undefined
  const draw = (): void => {
    if (!drawn || !latest) return
    drawn.setTotal(latest.total)
    drawn.update(latest.done, { message: latest.message })
  }
  const load = async (): Promise<void> => {
    const { default: cliProgress } = await import('cli-progress')
    if (isStopped) return
    drawn = new cliProgress.SingleBar({
      format: '{bar} {value}/{total} {message}',
      clearOnComplete: true,
      hideCursor: true,
    })
    drawn.start(1, 0, { message: '' })
    draw()
  }
  return {
    update(done, total, message) {
      latest = { done, total: total ?? Math.max(done, 1), message: message ?? '' }
      if (isLoading) return draw()
      isLoading = true
      load().catch(() => {}) // the call goes on without a bar
    },
    stop() {
      isStopped = true
      drawn?.stop()
    },
  }
}

function notes(terminal: Pick<Terminal, 'note'>, now: () => Date): ProgressLine {
  let lastDone: number | undefined
  let lastAt = 0
  return {
    update(done, total, message) {
      const at = now().getTime()
      if (done === lastDone && at - lastAt < NOTE_EVERY_MS) return
      lastDone = done
      lastAt = at
      const count = total === undefined ? String(done) : `${done}/${total}`
      terminal.note(message === undefined ? `progress: ${count}` : `${message} (${count})`)
    },
    stop() {},
  }
}
