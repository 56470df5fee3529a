import { writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { layoutOf } from '../../../plugins/handoff/store/layout.ts'
import { sampleId, sampleRecord } from '../../../plugins/handoff/testing/sample-record.ts'
import type { LabContext } from '../../context.ts'
import { type Figure, figureOf, limitFigure } from '../figure.ts'
import { measureProcess, type ProcessCost } from '../growth/measured-process.ts'

const SMALL = 100
const LARGE = 10_000
const ROUNDS = 3
/** More than for growth: what a start takes differs by a quarter from one process to the next. */
const START_ROUNDS = 10
const SAMPLE_BYTES = 2000
const TRIES = 10

/** What a session calls, with how much more processor time it may take among many records than among 100. */
const CALLS = {
  hook: { args: ['handoff', 'hook', 'session-start'], source: 'compact', goal: 1.5 },
  capture: { args: ['handoff', 'hook', 'pre-compact'], source: undefined, goal: 1.5 },
  list: { args: ['handoff', 'list'], source: undefined, goal: 2 },
  resume: { args: ['handoff', 'resume', '--no-mark'], source: undefined, goal: 2 },
  create: { args: ['handoff', 'create'], source: undefined, goal: 2 },
  search: { args: ['handoff', 'search', 'callback state'], source: undefined, goal: 2 },
} as const
type Call = keyof typeof CALLS

const MEMORY_LIMIT_MIB = 150
/** Milliseconds beyond a bare node that one call of a harness or a person may take among 100 records. */
const BEYOND_BARE = { hook: 120, list: 100 } as const
/** A list takes nearly twice its goal (decision 54): noise alone would carry it over the usual gate. */
const START_GATE = 2.5

/** Processor time, memory and printed bytes of each call in stores of 100, 10,000 and `records` records with an index. */
export async function measureGrowth(
  folder: string,
  records: number,
  context: LabContext,
): Promise<readonly Figure[]> {
  const sizes = [...new Set([SMALL, LARGE, records])].filter((size) => size <= records).sort((a, b) => a - b)
  const stores = await measureStores(folder, sizes, context)
  const [smallest, largest] = [stores[0], stores.at(-1)]
  if (!smallest || !largest) return []
  const bareMs = await measureStarts(smallest, context)
  for (const store of stores) noteUsage(store, context)
  return [...beyondBare(smallest, bareMs), ...figuresOf(smallest, largest)]
}

/** The least of some rounds of each call, in turns in stores of so many records with an index. */
export async function measureStores(
  folder: string,
  sizes: readonly number[],
  context: LabContext,
): Promise<readonly Store[]> {
  const stores: Store[] = []
  for (const size of sizes) {
    const root = join(folder, `growth-${size}`)
    context.note(`writing ${size} records`)
    await writeSamples(root, size, context.signal)
    const built = await used(root, 'list', context)
    context.note(`index of ${size} records: ${built.cpuMs.toFixed(0)} ms, ${built.peakMib.toFixed(0)} MiB`)
    stores.push({ size, root, least: new Map(), builtMib: built.peakMib })
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const call of Object.keys(CALLS) as Call[]) await measureIn(stores, call, context)
  }
  return stores
}

/** Measures the calls of `BEYOND_BARE` further in turns with a bare node, whose least processor time it returns. */
async function measureStarts(store: Store, context: LabContext): Promise<number> {
  let bareMs = Number.POSITIVE_INFINITY
  for (let round = 0; round < START_ROUNDS; round++) {
    const { cpuMs } = await measureProcess([process.execPath, '-e', '0'], context.env)
    bareMs = Math.min(bareMs, cpuMs)
    for (const call of Object.keys(BEYOND_BARE) as Call[]) await measureIn([store], call, context)
  }
  return bareMs
}

function beyondBare({ size, least }: Measured, bareMs: number): readonly Figure[] {
  return (Object.keys(BEYOND_BARE) as (keyof typeof BEYOND_BARE)[]).map((call) =>
    limitFigure({
      name: `handoff.start.${call}`,
      what: `${call} among ${size} records beyond a bare node, processor time`,
      unit: 'ms',
      ours: (least.get(call)?.cpuMs ?? Number.NaN) - bareMs,
      limit: BEYOND_BARE[call],
      gate: START_GATE,
    }),
  )
}

interface Store extends Measured {
  readonly root: string
  readonly least: Map<Call, ProcessCost>
}

/** Measures a call once in each store, and keeps the least: noise only ever adds. */
async function measureIn(stores: readonly Store[], call: Call, context: LabContext): Promise<void> {
  for (const { root, least } of stores) {
    context.signal.throwIfAborted()
    const usage = await used(root, call, context)
    const best = least.get(call)
    if (!best || usage.cpuMs < best.cpuMs) least.set(call, usage)
  }
}

function noteUsage({ size, least }: Store, { note }: LabContext): void {
  for (const [call, { cpuMs, peakMib, printed }] of least) {
    note(`${size} records, ${call}: ${cpuMs.toFixed(0)} ms, ${peakMib.toFixed(0)} MiB, ${printed} bytes`)
  }
}

interface Measured {
  readonly size: number
  /** Peak memory of the process that made the index. */
  readonly builtMib: number
  readonly least: ReadonlyMap<Call, ProcessCost>
}

function figuresOf(smallest: Measured, largest: Measured): readonly Figure[] {
  const among = `among ${largest.size} records`
  const figures: Figure[] = []
  let peakMib = 0
  for (const [call, usage] of largest.least) {
    const { goal } = CALLS[call]
    peakMib = Math.max(peakMib, usage.peakMib)
    figures.push(
      figureOf({
        name: `handoff.grown.${call}`,
        what: `${call} ${among}, processor time`,
        unit: 'ms',
        ours: usage.cpuMs,
        against: smallest.least.get(call)?.cpuMs ?? Number.NaN,
        against_what: `among ${smallest.size}`,
        goal,
      }),
    )
  }
  figures.push(
    limitFigure({
      name: 'handoff.grown.memory',
      what: `largest process ${among}`,
      unit: 'MiB',
      ours: peakMib,
      limit: MEMORY_LIMIT_MIB,
    }),
    limitFigure({
      name: 'handoff.grown.index.memory',
      what: `the process that makes the index ${among}`,
      unit: 'MiB',
      ours: largest.builtMib,
      limit: MEMORY_LIMIT_MIB,
    }),
  )
  return figures
}

async function used(root: string, call: Call, { program, env }: LabContext): Promise<ProcessCost> {
  const { args, source } = CALLS[call]
  const session = { session_id: 'bench', cwd: root, ...(source && { source }) }
  const record = { title: 'Bench', objective: 'Measure a call', current_state: 'Begun' }
  const command = [...program, ...args, ...(call === 'create' ? ['--input', '-'] : [])]
  const input = JSON.stringify(call === 'create' ? record : session)
  for (let tries = 1; ; tries++) {
    const usage = await measureProcess(command, { ...env, SATCHEL_PROJECT: root }, { input })
    if (call === 'capture' || usage.printed > 0) return usage
    // A hook whose time is over on a busy machine is silent, which is not a measurement.
    if (tries === TRIES) throw new Error(`${args.join(' ')} printed nothing, ${TRIES} times`)
  }
}

/** Writes the store of a project with so many records. */
export async function writeSamples(root: string, count: number, signal: AbortSignal): Promise<void> {
  const { records } = layoutOf(root, join(root, '.handoffs'))
  await mkdir(records, { recursive: true })
  for (let n = 0; n < count; n += 100) {
    signal.throwIfAborted()
    // Synchronous: the thread pool takes longer than a small file.
    for (let one = n; one < Math.min(n + 100, count); one++) {
      writeFileSync(join(records, `${sampleId(one)}.json`), JSON.stringify(sampleRecord(one, SAMPLE_BYTES)))
    }
    await setImmediate()
  }
}
