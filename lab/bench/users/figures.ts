import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { withScratchFolder } from '../../../server/plugin.ts'
import type { LabContext } from '../../context.ts'
import { percentile } from '../../percentile.ts'
import { type Figure, figureOf, limitFigure } from '../figure.ts'
import { type Child, processorMs, residentMib, startChild, startServe } from '../host/child.ts'
import { type DoorClient, openDoorClient } from '../host/door-client.ts'
import { ingestNetworks } from '../host/network-modules.ts'
import { outputOf } from '../peers/program-output.ts'
import type { OwnRecord } from './habits.ts'
import { makeOwnRecords, simulateUsers, type UsersRun } from './users.ts'

/** What 300 users may wait for a read, and what their server may take. */
const READS_LIMIT_MS = 200
const WRITES_LIMIT_MS = 500
const MEMORY_LIMIT_MIB = 400
/** 99 of 100 turns of the event loop begin within this time. */
const LOOP_LIMIT_MS = 100
/** 300 requests a second take less than one of two cores then. */
const PROCESSOR_LIMIT_MS = 3
const LOOK_MS = 1000
const TOLD_EVERY = 30
const MARGIN_MS = 120_000
const SETTINGS = ['tools: { profile: full }']

/** A server that does nothing, for what the machine itself adds to an answer. */
const BARE = `
const server = require('node:http').createServer((_, answer) => answer.end('{}'))
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.stdin.resume().on('end', () => process.exit())
`
const BARE_EVERY_MS = 100

interface Crowd {
  readonly users: number
  readonly seconds: number
}

/** All figures of one crowd. Leaves nothing behind. */
export async function measureUsers(context: LabContext, crowd: Crowd): Promise<readonly Figure[]> {
  return await withScratchFolder('satchel-bench', async (folder) => {
    context.note('200 modules')
    await ingestNetworks(folder, SETTINGS)
    await makeRepository(folder)
    const own = await recordsOf(folder, crowd.users)
    const limitMs = crowd.seconds * 1000 + MARGIN_MS
    const { server, address } = await startServe(folder, limitMs)
    const bare = startChild(['-e', BARE], folder, limitMs)
    try {
      const bareAddress = `http://127.0.0.1:${await bare.line()}`
      return await figuresOf({ context, crowd, own, server, address, bareAddress })
    } finally {
      server.process.kill('SIGTERM')
      bare.process.kill('SIGTERM')
    }
  })
}

/**
 * A record for each user, made by a server that then ends: nine reads come to one write from the first second on, and
 * the server that is measured begins cold.
 */
async function recordsOf(folder: string, users: number): Promise<readonly OwnRecord[]> {
  const { server, address } = await startServe(folder, MARGIN_MS)
  const client = openDoorClient(address, 1)
  try {
    return await makeOwnRecords(client, users)
  } finally {
    client.close()
    const exited = once(server.process, 'exit')
    server.process.kill('SIGTERM')
    await exited
  }
}

/** Users work in a repository, so that records capture it and briefs look at it. */
async function makeRepository(folder: string): Promise<void> {
  const git = (...args: string[]) =>
    outputOf(['git', '-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], { cwd: folder })
  await writeFile(join(folder, '.gitignore'), 'repository\noutput\nclones\n')
  await git('init', '-q', '-b', 'main')
  await git('add', '.')
  await git('commit', '-q', '-m', 'first')
}

interface Stage {
  readonly context: LabContext
  readonly crowd: Crowd
  readonly own: readonly OwnRecord[]
  readonly server: Child
  readonly address: string
  readonly bareAddress: string
}

async function figuresOf({
  context,
  crowd,
  own,
  server,
  address,
  bareAddress,
}: Stage): Promise<readonly Figure[]> {
  const client = openDoorClient(address, crowd.users)
  const watcher = openDoorClient(address, 1)
  const floor = openDoorClient(bareAddress, 1)
  const ended = new AbortController()
  const signal = AbortSignal.any([context.signal, ended.signal])
  try {
    const around = { modules: await moduleIds(client) }
    context.note(`${crowd.users} users for ${crowd.seconds} s`)
    const watching = watch(watcher, server, { signal, note: context.note })
    const probing = probe(floor, signal)
    const before = processorMs(server.pid)
    const run = await simulateUsers({ ...crowd, client, address, around, own, signal: context.signal })
    ended.abort()
    for (const fault of run.faults) context.note(fault)
    const after = processorMs(server.pid)
    const processor = before === undefined || after === undefined ? undefined : after - before
    const watched = { ...(await watching), processor, floor: await probing }
    return [...limitFigures(run, watched), ...wholeFigures(crowd, run)]
  } finally {
    ended.abort()
    for (const each of [client, watcher, floor]) each.close()
  }
}

async function moduleIds(client: DoorClient): Promise<readonly string[]> {
  if (!(await client.tools()).includes('search_modules')) return []
  const body = { query: 'network', limit: 50 }
  const { results } = (await client.send({ method: 'POST', path: '/search', body })) as {
    results: readonly { id: string }[]
  } // as the tool answers
  return results.map(({ id }) => id)
}

/** As the host answers it. */
interface Ready {
  readonly loop_delay_ms: { readonly p99: number }
}

/** The most of each over the run: MiB of memory, and the p99 of the delay of the event loop. */
async function watch(
  watcher: DoorClient,
  { pid }: Child,
  { signal, note }: { readonly signal: AbortSignal; note(line: string): void },
): Promise<{ readonly memory: number | undefined; readonly loop: number }> {
  let memory = residentMib(pid)
  let loop = 0
  for (let looks = 1; !signal.aborted; looks++) {
    await pause(LOOK_MS, undefined, { signal }).catch(() => undefined) // ended: one last look
    const now = residentMib(pid)
    if (now !== undefined) memory = Math.max(memory ?? 0, now)
    const ready = await watcher.send({ method: 'GET', path: '/ready' }).catch(() => undefined) // its users tell
    loop = Math.max(loop, (ready as Ready | undefined)?.loop_delay_ms.p99 ?? 0)
    if (looks % TOLD_EVERY === 0) note(`${looks} s: ${now?.toFixed(0)} MiB, loop delay p99 ${loop} ms`)
  }
  return { memory, loop }
}

/** Times of answers of the bare server, in milliseconds. */
async function probe(floor: DoorClient, signal: AbortSignal): Promise<readonly number[]> {
  const times: number[] = []
  while (!signal.aborted) {
    const asked = performance.now()
    await floor.send({ method: 'GET', path: '/' }).catch(() => undefined) // it was killed
    times.push(performance.now() - asked)
    await pause(BARE_EVERY_MS, undefined, { signal }).catch(() => undefined) // ended
  }
  return times
}

interface Watched {
  /** What the threads of the server took of the processor, in milliseconds. */
  readonly processor: number | undefined
  readonly memory: number | undefined
  readonly loop: number
  readonly floor: readonly number[]
}

function limitFigures({ reads, writes }: UsersRun, watched: Watched): readonly Figure[] {
  const { memory, loop, processor, floor } = watched
  const told = (times: readonly number[]): string =>
    `of ${times.length}, median ${percentile(times, 0.5).toFixed(1)} ms; of a bare server p99 ${percentile(floor, 0.99).toFixed(1)} ms`
  const answers = Math.max(1, reads.length + writes.length)
  const rows: readonly (readonly [string, string, string, number | undefined, number])[] = [
    ['reads', `p99 of reads ${told(reads)}`, 'ms', percentile(reads, 0.99), READS_LIMIT_MS],
    ['writes', `p99 of writes ${told(writes)}`, 'ms', percentile(writes, 0.99), WRITES_LIMIT_MS],
    [
      'processor',
      'time of the processor for one request, all threads of the server',
      'ms',
      processor === undefined ? undefined : processor / answers,
      PROCESSOR_LIMIT_MS,
    ],
    ['memory', 'most resident memory of the server', 'MiB', memory, MEMORY_LIMIT_MIB],
    ['loop.delay', 'p99 of the delay of the event loop, the worst minute', 'ms', loop, LOOP_LIMIT_MS],
  ]
  return rows.flatMap(([name, what, unit, ours, limit]) =>
    ours === undefined ? [] : [limitFigure({ name: `users.${name}`, what, unit, ours, limit })],
  )
}

/** What must be whole: every request answered, every stream open. */
function wholeFigures({ users, seconds }: Crowd, run: UsersRun): readonly Figure[] {
  const { reads, writes, failed, streams, lostStreams } = run
  const exact = { goal: 1, gate: 1, sense: 'at_least' } as const
  return [
    figureOf({
      ...exact,
      name: 'users.answered',
      what: `requests that were answered, ${failed} failed`,
      unit: 'requests',
      ours: reads.length + writes.length,
      against: users * seconds,
      against_what: `${users} users, ${seconds} s`,
    }),
    figureOf({
      ...exact,
      name: 'users.streams',
      what: 'streams that stayed open',
      unit: 'streams',
      ours: streams - lostStreams,
      against: streams,
      against_what: 'every tenth user',
    }),
  ]
}
