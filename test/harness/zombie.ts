import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'

/**
 * The pid of a process that ends now or soon and that its parent never reaps; the parent is killed after the test. Linux
 * only. It waits until the shell is the program that reaps nothing: a shell reaps what has ended before it runs the next.
 */
export async function startZombie(t: TestContext): Promise<number> {
  const ends = '(until [ "$(cat /proc/$$/comm)" = sleep ]; do :; done)'
  const parent = spawn('sh', ['-c', `${ends} & echo $!; exec sleep 300`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  t.after(() => parent.kill('SIGKILL'))
  const { value } = await createInterface({ input: parent.stdout })[Symbol.asyncIterator]().next()
  return Number(value)
}
