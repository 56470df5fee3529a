import { examineStore } from '../../../plugins/handoff/actions/doctor.ts'
import { sha256 } from '../../../plugins/handoff/domain/record-id.ts'
import {
  createSimulatedDisk,
  type Image,
  type SimulatedDisk,
} from '../../../server/platform/testing/simulated-disk.ts'
import { type FileVersion, versionsBelow } from '../file-versions.ts'
import { createMedium } from '../medium.ts'
import type { DiskBug } from '../power-cuts.ts'
import { type Cut, NOTHING, type Verdict } from '../power-cuts.ts'
import { append, create } from './operations.ts'
import { type Desk, openDesk, RECORDS, STORE } from './stage.ts'

/** A file that a caller was told of, when `at` disk changes had been made. */
export interface Promised {
  readonly at: number
  readonly path: string
  readonly etag: string
}

/** What is known of the time before a cut. */
export interface Past {
  readonly promised: readonly Promised[]
  readonly versions: ReadonlyMap<string, readonly FileVersion[]>
  readonly bug: DiskBug | undefined
}

const AFTER_CUT_MS = 600_000

/** Opens the store on what a cut left: every answered change is there, every file is whole, and the next call works. */
export async function judgeHandoffs(cut: Cut, past: Past): Promise<Verdict> {
  const simulated = createSimulatedDisk(cut.image, cut.chance)
  const disk = past.bug?.disk(simulated.disk) ?? simulated.disk
  const clock = (): number => simulated.changes.length + AFTER_CUT_MS
  try {
    const desk = await openDesk(disk, { chance: cut.chance, clock })
    const faults = [
      ...fileFaults(cut, past),
      ...(await readingFaults(desk, clock())),
      ...(await nextCallFaults(desk, cut.image, simulated)),
    ]
    return { faults, recovery: [...simulated.changes] }
  } catch (thrown) {
    return { faults: [`the next call failed: ${String(thrown)}`], recovery: [...simulated.changes] }
  }
}

/** Each record holds one of its versions, and none from before an answer. */
function fileFaults({ image, at, second }: Cut, { promised, versions }: Past): readonly string[] {
  const later = second && versionsBelow(STORE, second.image, second.changes)
  const torn = [...image].flatMap(([path, content]) => {
    if (!path.startsWith(`${RECORDS}/`) || content === 'directory') return []
    const known = [...(versions.get(path) ?? []).filter((one) => one.at <= at), ...(later?.get(path) ?? [])]
    return known.some((one) => one.content.equals(content)) ? [] : [`${path} holds what was never written`]
  })
  const lost = promised
    .filter((promise) => promise.at <= at)
    .flatMap(({ path, etag, at: since }) => {
      const content = image.get(path)
      if (!(content instanceof Buffer)) return [`${path} was answered and is lost`]
      const all = versions.get(path) ?? []
      const newest = all.findLastIndex((one) => one.at <= since && sha256(one.content) === etag)
      const isKept =
        all.slice(newest).some((one) => one.at <= at && one.content.equals(content)) ||
        later?.get(path)?.some((one) => one.at > 0 && one.content.equals(content))
      return isKept ? [] : [`${path} is older than what was answered`]
    })
  return [...torn, ...lost]
}

/** What an interrupted call may leave: none of it hides a record or stops a call. */
const HARMLESS = new Set(['orphan_temp', 'not_superseded', 'expired_claim'])

async function readingFaults({ project, handoffs }: Desk, clockMs: number): Promise<readonly string[]> {
  const faults: string[] = []
  const ids = await project.store.ids()
  for (const id of ids) {
    const stored = await project.store.read(id)
    if (stored?.kind !== 'record') faults.push(`the record ${id} cannot be read: ${stored?.problem.detail}`)
  }
  const { rows } = await project.index.view()
  const parents = rows.flatMap((row) => row.parents)
  const hasSibling = (path: string): boolean =>
    rows
      .filter(({ id }) => path.includes(id.toLowerCase()))
      .some((row) => row.parents.some((parent) => parents.indexOf(parent) !== parents.lastIndexOf(parent)))
  if (rows.length !== ids.length) faults.push(`the index has ${rows.length} rows for ${ids.length} records`)
  for (const { kind, path, detail } of await examineStore(project, handoffs.now().getTime(), clockMs)) {
    const isUnused = kind === 'damaged_config' && ids.length === 0
    // Two callers may continue one record: which of them is flagged depends on their turns.
    const isRival = kind === 'conflicted_record' && hasSibling(path)
    if (!HARMLESS.has(kind) && !isUnused && !isRival) faults.push(`doctor: ${kind} ${path} ${detail}`)
  }
  return faults
}

/** A new record and a change of an older one are answered, and survive a cut right after the answer. */
async function nextCallFaults(
  desk: Desk,
  image: Image,
  simulated: SimulatedDisk,
): Promise<readonly string[]> {
  const { rows } = await desk.project.index.view()
  const draft = rows.find(({ status }) => status === 'draft')
  const answers = [
    ...(draft ? [await append(desk, draft.id, 'after the cut')] : []),
    await create(desk, 'after the cut'),
  ]
  const medium = createMedium(image)
  for (const [number, change] of simulated.changes.entries()) medium.apply(change, number)
  const left = medium.cut(NOTHING)
  return answers.flatMap(({ id, etag }) => {
    const content = left.get(`${RECORDS}/${id.toLowerCase()}.json`)
    return content instanceof Buffer && sha256(content) === etag
      ? []
      : [`the next answer about ${id} is lost`]
  })
}
