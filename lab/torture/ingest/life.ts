import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  createSimulatedDisk,
  type Image,
  type SimulatedDisk,
} from '../../../server/platform/testing/simulated-disk.ts'
import { type Chance, createChance } from '../chance.ts'
import { type FileVersion, versionsBelow } from '../file-versions.ts'
import { createMedium } from '../medium.ts'
import type { DiskBug } from '../power-cuts.ts'
import { type Cut, type Life, NOTHING, type Verdict } from '../power-cuts.ts'
import { type Output, readOutput } from './output.ts'
import { EVERYTHING_ASKED, type IngestHow, type IngestStage, STATES } from './stage.ts'

/** Lives of one output directory. */
export interface IngestLives {
  /** The remote grows, changes and shrinks; one run after each. */
  short(chance: Chance): Promise<Life>
  /** Runs with any options at any state of the remote. */
  long(chance: Chance): Promise<Life>
}

interface LifeOptions {
  readonly bug?: DiskBug | undefined
  /** Share of the cuts after which a whole ingest runs: it takes most of the time. */
  readonly nextRuns: number
}

/** The files of a moment at which a run had been answered. */
interface Answered {
  readonly at: number
  readonly files: ReadonlyMap<string, Buffer>
}

interface Past extends LifeOptions {
  readonly stage: IngestStage
  readonly answered: readonly Answered[]
  readonly versions: ReadonlyMap<string, readonly FileVersion[]>
  /** What an undisturbed run leaves. */
  readonly expected: Output
}

const MOST_RUNS = 4

export function ingestLives(stage: IngestStage, options: LifeOptions): IngestLives {
  const expected = new Map<number, Promise<Output>>()
  /** The remote shows `state` afterwards. */
  const undisturbed = async (state: number): Promise<Output> => {
    await stage.show(state)
    const { disk } = createSimulatedDisk(startOf(stage), createChance(1))
    await stage.run(disk, EVERYTHING_ASKED)
    return await readOutput(disk, stage)
  }
  const live = async (
    runs: readonly { readonly state: number; readonly how: IngestHow }[],
    chance: Chance,
  ): Promise<Life> => {
    const start = startOf(stage)
    const simulated = createSimulatedDisk(start, chance)
    const disk = options.bug?.disk(simulated.disk) ?? simulated.disk
    const answered: Answered[] = []
    const complaints: string[] = []
    let last = 0
    for (const { state, how } of runs) {
      last = state
      await stage.show(state)
      const { failures } = await stage.run(disk, how)
      complaints.push(...failures.map((failure) => JSON.stringify(failure)))
      answered.push({ at: simulated.changes.length, files: outputFiles(simulated.image(), stage) })
    }
    expected.set(last, expected.get(last) ?? undisturbed(last))
    const past = {
      ...options,
      stage,
      answered,
      expected: await expected.get(last),
      versions: new Map(),
    } as Past
    const versions = versionsBelow(dirname(stage.outputDir), start, simulated.changes)
    return {
      start,
      changes: simulated.changes,
      complaints,
      judge: (cut) => judgeOutput(cut, { ...past, versions }),
    }
  }
  return {
    short: (chance) =>
      live(
        [0, 1, 2].map((state) => ({ state, how: EVERYTHING_ASKED })),
        chance,
      ),
    long: (chance) => {
      const any = (): IngestHow => ({
        recursive: chance.maybe(0.7),
        prune: chance.maybe(0.5),
        embeddings: chance.maybe(0.7),
      })
      const runs = Array.from({ length: 1 + chance.below(MOST_RUNS) }, () => ({
        state: chance.below(STATES),
        how: any(),
      }))
      return live(runs, chance)
    },
  }
}

/** The folders above the output directory, which are there before the first run. */
export function startOf({ outputDir }: IngestStage): Image {
  const folders: string[] = []
  for (let folder = dirname(outputDir); folder !== dirname(folder); folder = dirname(folder))
    folders.push(folder)
  return new Map(['/', ...folders.reverse()].map((folder) => [folder, 'directory'] as const))
}

const NOT_ANSWERED = /\/(?:\.locks\/|[^/]*\.lock$|\.tmp-|stamps\.json$)/

/** The files that a run answers for: neither locks, temporary files nor the cache of stamps. */
function outputFiles(image: Image, { outputDir, vectorDir }: IngestStage): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>()
  for (const [path, content] of image) {
    const isOurs = path.startsWith(`${outputDir}/`) || path.startsWith(`${vectorDir}/`)
    if (isOurs && content !== 'directory' && !NOT_ANSWERED.test(path)) files.set(path, content)
  }
  return files
}

/** Opens the output on what a cut left; every file is whole and none is older than its answer; sometimes ingests again. */
async function judgeOutput(cut: Cut, past: Past): Promise<Verdict> {
  const simulated = createSimulatedDisk(cut.image, cut.chance)
  try {
    const faults = [...fileFaults(cut, past)]
    await readOutput(simulated.disk, past.stage)
    if (faults.length === 0 && cut.chance.maybe(past.nextRuns))
      faults.push(...(await nextRunFaults(cut, simulated, past)))
    return { faults, recovery: [...simulated.changes] }
  } catch (thrown) {
    return { faults: [`the output cannot be used: ${String(thrown)}`], recovery: [...simulated.changes] }
  }
}

function fileFaults(cut: Cut, past: Past): readonly string[] {
  const { at, second } = cut
  const found = outputFiles(cut.image, past.stage)
  const told = past.answered.findLast((one) => one.at <= at)
  const torn = wholeFaults(cut, past, found)
  if (!told) return torn
  const isIdle = !second && lastContentAt(past.versions, at) <= told.at
  const lost = [...told.files.keys()].filter(
    (path) => !found.has(path) && (isIdle || !isEverRemoved(path, past.answered)),
  )
  const back = [...found.keys()].filter((path) => isIdle && !told.files.has(path))
  return [
    ...torn,
    ...lost.filter(isNamedForever).map((path) => `${path} is lost`),
    ...back.filter(isNamedForever).map((path) => `${path} is back after it was removed`),
  ]
}

/** Segments come and go; whether those that count are whole is seen by opening the set. */
function isNamedForever(path: string): boolean {
  return !path.endsWith('.segment')
}

/** Each file holds one of its versions, and none from before an answer. */
function wholeFaults(
  { at, second }: Cut,
  { answered, versions, stage }: Past,
  found: ReadonlyMap<string, Buffer>,
): readonly string[] {
  const later = second && versionsBelow(dirname(stage.outputDir), second.image, second.changes)
  return [...found].flatMap(([path, content]) => {
    const since = answered.findLast((one) => one.at <= at && one.files.has(path))?.at ?? 0
    const all = versions.get(path) ?? []
    const first = Math.max(
      0,
      all.findLastIndex((one) => one.at <= since),
    )
    const known = [...all.slice(first).filter((one) => one.at <= at), ...(later?.get(path) ?? [])]
    const isKnown = known.some((one) => one.content.equals(content))
    return isKnown ? [] : [`${path} is torn or older than answered`]
  })
}

/** The last change before `at` that gave a file a content. */
function lastContentAt(versions: Past['versions'], at: number): number {
  return Math.max(0, ...[...versions.values()].flat().flatMap((one) => (one.at <= at ? one.at : [])))
}

/** Whether a run removes the file: a later one may have begun. */
function isEverRemoved(path: string, answered: readonly Answered[]): boolean {
  return answered.some(({ files }) => !files.has(path))
}

/** The next run ends like an undisturbed one, and what it answered survives a cut. */
async function nextRunFaults(
  { image, at }: Cut,
  simulated: SimulatedDisk,
  { bug, stage, expected, answered }: Past,
): Promise<readonly string[]> {
  const disk = bug?.disk(simulated.disk) ?? simulated.disk
  const { failures } = await stage.run(disk, EVERYTHING_ASKED)
  const visible = await readOutput(simulated.disk, stage)
  const medium = createMedium(image)
  for (const [number, change] of simulated.changes.entries()) medium.apply(change, number)
  const flushed = await readOutput(createSimulatedDisk(medium.cut(NOTHING), createChance(1)).disk, stage)
  const told = answered.findLast((one) => one.at <= at)
  // What a run wrote before it was cut and the remote has lost since may stay, as a file that no record names.
  const left = visible.files.filter((name) => !expected.files.includes(name))
  const kept = left.filter((name) => told?.files.has(join(stage.outputDir, name)))
  return [
    ...kept.map((name) => `${name} was not removed`),
    ...failures.map((failure) => `the next run failed: ${JSON.stringify(failure)}`),
    ...different(visible, expected, 'after the next run'),
    ...different(flushed, expected, 'after the next run and a cut'),
  ]
}

const COMPARED = ['records', 'summaries', 'vectors', 'keywords', 'unfinished'] as const

/** Compares what records name. */
export function different(found: Output, expected: Output, when: string): readonly string[] {
  return COMPARED.flatMap((key) => {
    return isDeepStrictEqual(found[key], expected[key])
      ? []
      : [`${when} the ${key} are not those of an undisturbed run`]
  })
}
