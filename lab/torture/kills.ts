import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import type { Chance } from './chance.ts'

/** Kills of processes that work in one folder, one process after the other. */
export interface KillOptions {
  readonly chance: Chance
  readonly kills: number
  /** A process is killed at most this long after its first line. */
  readonly withinMs: number
  /** The command line of the n-th process. It says `A <what>` for each answer, and may say before that it is ready. */
  victim(n: number): readonly [command: string, ...args: string[]]
  /** Looks at what a death left. `answers`: everything that was said so far. */
  judge(answers: readonly string[]): Promise<readonly string[]>
  stop?(): boolean
}

export interface KillReport {
  readonly kills: number
  readonly acknowledged: number
  /** The first broken promise; the folder is kept. */
  readonly failure?: { readonly kill: number; readonly faults: readonly string[] }
}

/** Starts, kills and judges until `kills` processes died or a promise was broken. */
export async function killProcesses(options: KillOptions): Promise<KillReport> {
  const answers: string[] = []
  let kills = 0
  while (kills < options.kills && !options.stop?.()) {
    const isKilled = await killOne(options, kills, answers)
    kills += 1
    const faults = isKilled ? await options.judge(answers) : ['a process ended by itself']
    if (faults.length > 0) return { kills, acknowledged: answers.length, failure: { kill: kills, faults } }
  }
  return { kills, acknowledged: answers.length }
}

/** False if the process ended before it was killed. */
async function killOne(
  { victim, chance, withinMs }: KillOptions,
  n: number,
  answers: string[],
): Promise<boolean> {
  const [command, ...args] = victim(n)
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  // The pipe holds what a killed process said: its end comes after the last line.
  const closed = new Promise<void>((resolve) => lines.once('close', resolve))
  await new Promise<void>((resolve) => {
    void closed.then(resolve)
    lines.on('line', (line) => {
      if (line.startsWith('A ')) answers.push(line.slice(2))
      resolve()
    })
  })
  await wait(chance.below(withinMs + 1))
  const isKilled = child.kill('SIGKILL')
  await closed
  return isKilled
}
