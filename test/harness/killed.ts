import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Kills a process that may have ended, and waits until it has ended. */
export async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
