import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { sha256Of } from '../../../plugins/workspace/engine/bodies.ts'
import { inspectRoom, openRoom, roomPlace } from '../../../plugins/workspace/engine/open-room.ts'
import {
  lostTexts,
  modelContent,
  modelContentWith,
  rowFaults,
  silentLog,
  versionName,
} from '../../../plugins/workspace/testing/model.ts'
import { type Chance, createChance } from '../chance.ts'
import { createHistory, type History } from './history.ts'
import { brokenPromises } from './promises.ts'

export interface KillOptions {
  readonly seed: number
  readonly kills: number
  readonly wasm: string
  /** Where the room is made; absent: the folder for temporary files. */
  readonly directory?: string | undefined
  /** The command line of a process that calls `work` with this file and seed. */
  victim(file: string, seed: number): readonly [command: string, ...args: string[]]
  stop?(): boolean
}

export interface KillReport {
  readonly kills: number
  readonly acknowledged: number
  /** The folder with the broken room is kept. */
  readonly failure?: {
    readonly seed: number
    readonly kill: number
    readonly directory: string
    readonly faults: readonly string[]
  }
}

const KILL_WITHIN_MS = 60 // design workspace-engine 6
const ACKNOWLEDGES_WITHIN_MS = 180_000 // a starved machine is not a broken promise
const STARTERS = [1, 1, 1, 1, 2, 4] as const

/**
 * Kills real processes while they work in one room, again and again, and looks at the room after each death: half of
 * the time without touching it, so that the next process recovers what two deaths left.
 */
export async function killWorkers(options: KillOptions): Promise<KillReport> {
  const directory = await mkdtemp(join(options.directory ?? tmpdir(), 'satchel-torture-'))
  const file = join(directory, 'plan.md')
  await writeFile(file, '# Plan\n')
  const chance = createChance(options.seed)
  const history = createHistory(() => 0)
  history.text(sha256Of('# Plan\n'), 'editor')
  let kills = 0
  let acknowledged = 0
  while (kills < options.kills && !options.stop?.()) {
    const seed = options.seed + kills
    const told = await killOnce(options, { file, seed, chance, history })
    kills += told.deaths
    acknowledged += told.acknowledged
    const faults = [...told.faults, ...(await inspected(file, history, options.wasm, chance.maybe(0.5)))]
    if (faults.length > 0)
      return { kills, acknowledged, failure: { seed: options.seed, kill: kills, directory, faults } }
  }
  await rm(directory, { recursive: true, force: true })
  return { kills, acknowledged }
}

interface Round {
  readonly file: string
  readonly seed: number
  readonly chance: Chance
  readonly history: History
}

interface Told {
  /** Of processes that had answered a call. */
  readonly deaths: number
  readonly acknowledged: number
  readonly faults: readonly string[]
}

/** Starts one victim or several together: all but one wait for the room, and get it by the death of the one before. */
async function killOnce(options: KillOptions, round: Round): Promise<Told> {
  const count = STARTERS[round.chance.below(STARTERS.length)] ?? 1
  const victims = Array.from({ length: count }, (_, index) =>
    startVictim(options, round, round.seed + index * 500_000),
  )
  const faults: string[] = []
  for (const living = [...victims]; living.length > 0 && faults.length === 0; ) {
    const owner = await answering(living)
    if (!owner) faults.push('no process acknowledged anything within 3 minutes')
    if (owner?.answers.count === 0) faults.push('a worker ended by itself')
    await pause(round.chance.below(KILL_WITHIN_MS + 1))
    // The processes that answered before are dead: of the living ones only the owner may have answered.
    if (living.filter(({ answers }) => answers.count > 0).length > 1) faults.push('two owners answered')
    await kill(owner ?? living[0])
    if (owner) living.splice(living.indexOf(owner), 1)
  }
  for (const victim of victims) await kill(victim)
  return {
    deaths: victims.filter(({ answers }) => answers.count > 0).length,
    acknowledged: victims.reduce((sum, { answers }) => sum + answers.count, 0),
    faults: [...faults, ...victims.flatMap((victim) => victim.faults)],
  }
}

/** The first of them that answered a call; undefined when none did in time. */
async function answering(living: readonly Victim[]): Promise<Victim | undefined> {
  const late = new AbortController()
  const inTime = living.map((victim) => victim.answered.then(() => victim))
  const timeout = pause(ACKNOWLEDGES_WITHIN_MS, late.signal)
  const found = await Promise.race([...inTime, timeout])
  late.abort()
  return found
}

async function kill(victim: Victim | undefined): Promise<void> {
  victim?.process.kill('SIGKILL')
  await victim?.exited
}

/** Ends early, and quietly, when the signal says so. */
async function pause(ms: number, signal?: AbortSignal): Promise<undefined> {
  await setTimeout(ms, undefined, { ...(signal && { signal }) }).catch(() => {})
  return undefined
}

interface Victim {
  readonly process: ChildProcess
  readonly answers: { count: number }
  readonly faults: string[]
  readonly answered: Promise<void>
  readonly exited: Promise<void>
}

function startVictim(options: KillOptions, { file, history }: Round, seed: number): Victim {
  const [command, ...args] = options.victim(file, seed)
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const answers = { count: 0 }
  const faults: string[] = []
  const lines = createInterface({ input: child.stdout })
  const answered = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      note(line, history, faults)
      if (!line.startsWith('A ')) return
      answers.count += 1
      resolve()
    })
    child.once('exit', () => resolve())
  })
  // The pipe holds what a killed process said: its end comes after the last line.
  const exited = new Promise<void>((resolve) => lines.once('close', resolve))
  return { process: child, answers, faults, answered, exited }
}

function note(line: string, history: History, faults: string[]): void {
  const [what = '', first = '', ...rest] = line.split(' ')
  if (what === 'I') history.issue(Number(first), rest.join(' '))
  else if (what === 'A') history.tell(Number(first))
  else if (what === 'T') history.text(rest.join(' '), first === 'us' ? 'us' : 'editor')
  else if (what === 'X') faults.push(`a worker failed: ${line}`)
}

/** Looks at what the death left; with `open` the room is also opened, recovered and closed. */
async function inspected(
  file: string,
  history: History,
  wasm: string,
  open: boolean,
): Promise<readonly string[]> {
  const place = roomPlace(file, {})
  try {
    const before = await readFile(file)
    const inspection = await inspectRoom(place, modelContent, wasm)
    const faults = inspection.read((rows) => [
      ...rowFaults(rows),
      ...lostTexts(rows),
      ...(rows.latestEventId < history.toldBy(0)
        ? [`event ${history.toldBy(0)} was acknowledged, the room ends at ${rows.latestEventId}`]
        : []),
      ...(history.knows(sha256Of(before)) ? [] : ['the file holds a text that was never written']),
    ])
    inspection.close()
    if (!open || faults.length > 0) return faults
    const content = modelContentWith((tx, { version, hash }) => {
      history.issue(tx.latestEventId, versionName(version, hash))
    })
    const attempt = await openRoom({ place, content, log: silentLog, rank: 'listener', wasm })
    if (attempt.kind !== 'owner') return [`no process lives, yet the room is ${attempt.kind}`]
    const { store } = attempt.room
    const broken = await brokenPromises({ store, history, at: 0, before, now: await readFile(file) })
    await attempt.room.close()
    return broken
  } catch (thrown) {
    return [`the room could not be recovered: ${thrown}`]
  }
}
