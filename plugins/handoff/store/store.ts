import { basename, join, relative } from 'node:path'
import {
  createFileDurably,
  type Disk,
  IGNORE_FILE,
  orMissing,
  removeQuietly,
  type SatchelError,
  systemCode,
  writeFileDurably,
} from '../../../server/plugin.ts'
import type { Root } from '../domain/commit-id.ts'
import { isUuid, nearIds, sha256 } from '../domain/record-id.ts'
import { quoted } from '../domain/secrets.ts'
import { refusals } from '../reasons.ts'
import { type ClaimShelf, fileClaims } from './claim-shelf.ts'
import { ensureFolder, ensureOwnFolder } from './ensure-folder.ts'
import { notingChange } from './folder-changes.ts'
import { GITIGNORE, type Layout, newTemp, RECORD_MODE, recordFile } from './layout.ts'
import { projectIdForWriting, storedProjectId } from './project-identity.ts'
import { type BrokenRecord, readRecord, type StoredRecord } from './read-record.ts'
import { type HeldLock, type Locks, withLock } from './record-lock.ts'
import { asStoreError } from './store-error.ts'

/** The records of a project, in a folder or in the database. The first write creates what is missing; reads never do. */
export interface Store {
  /** What belongs to this machine is in files either way: sessions, measurements, the index. */
  readonly layout: Layout
  readonly disk: Disk
  readonly claims: ClaimShelf
  /** False: records are rows. */
  readonly keepsFiles: boolean
  /** True after the first write. */
  exists(): Promise<boolean>
  /** Ids by file name, sorted; empty without a store. */
  ids(): Promise<readonly string[]>
  read(id: string): Promise<StoredRecord | BrokenRecord | undefined>
  /** The bytes of a record, damaged or not. */
  bytes(id: string): Promise<Buffer | undefined>
  /** The project's id, once there is one. */
  projectId(): Promise<string | undefined>
  /**
   * The project's id, stored at the first write: `git:<root commit>` when `rootCommit` finds one. Never derived from the path.
   * Undefined where git took too long to tell: a later write stores it.
   */
  projectIdForWriting(rootCommit: RootCommit): Promise<string | undefined>
  /** Writes a new record and gives its etag. Errors: `conflict`/`exists`; see `asStoreError`. */
  create(id: string, text: string): Promise<Written>
  /**
   * Replaces a record by the result of `edit`, under the record's lock.
   * Errors: `not_found`/`record_not_found`, `conflict`/`etag_mismatch`, `conflict`/`locked`, what `edit` throws.
   */
  update(id: string, ifMatch: string | undefined, edit: Edit): Promise<Written>
  /** Creates the folders, then runs `action`. Failures of the disk become refusals. */
  preparing<T>(action: () => Promise<T>): Promise<T>
  /** Runs `action` under the lock `name`. */
  locked<T>(name: string, action: (held: HeldLock) => Promise<T>): Promise<T>
}

/** The root commit of the project's repository. */
export type RootCommit = () => Promise<Root>

/** The new text of a record; undefined leaves the file as it is. */
export type Edit = (current: StoredRecord | BrokenRecord) => Promise<string | undefined> | string | undefined

export interface Written {
  readonly etag: string
  /** Relative to the project root. */
  readonly path: string
}

const STALE_TEMP_MS = 60 * 60 * 1000

/** Opens the store in a folder. Calls `onWrite` for every written record, after it is on disk. */
export function openStore(parts: Locks & { readonly onWrite?: (id: string) => void }): Store {
  const { disk, layout, now, lockMs } = parts
  const locks = { disk, layout, now, lockMs }
  let swept = false

  /** Runs before every write: a checkout may have removed folders since the last one. */
  const prepare = async (): Promise<void> => {
    const { folder, records, locks, temps } = layout
    for (const needed of [folder, records]) await ensureFolder(disk, needed)
    for (const needed of [locks, temps]) await ensureOwnFolder(disk, needed)
    if (!(await disk.stat(layout.gitignore))) {
      const temp = newTemp(layout, 'gitignore')
      await createFileDurably(layout.gitignore, GITIGNORE, { disk, mode: RECORD_MODE, temp }).catch(
        ignoreExisting,
      )
    }
    if (swept) return
    // An index of an older release, which is not written now.
    if (await disk.stat(layout.cache)) await ensureOwnFolder(disk, layout.cache)
    await removeStaleTemps(disk, layout, parts.now())
    swept = true
  }

  const ids = () => storing(layout, () => recordIds(disk, layout))
  const files = { disk, layout, written: parts.onWrite ?? (() => {}) }

  return {
    layout,
    disk,
    keepsFiles: true,
    claims: fileClaims(disk, layout),
    bytes: (id) => orMissing(disk.readFile(recordFile(layout, id))),
    projectId: () => storedProjectId(disk, layout),
    projectIdForWriting: (rootCommit) =>
      storing(layout, async () => {
        await prepare()
        return projectIdForWriting(disk, layout, rootCommit)
      }),
    exists: () => storing(layout, async () => (await disk.stat(layout.records))?.kind === 'directory'),
    ids,
    read: (id) => storing(layout, () => readRecord(disk, layout, id)),
    create: (id, text) =>
      storing(layout, async () => {
        await prepare()
        return commitNew(files, id, text)
      }),
    update: (id, ifMatch, edit) =>
      storing(layout, async () => {
        if (!(await readRecord(disk, layout, id))) throw await unknownRecord({ ids }, id)
        await prepare()
        return withLock(locks, id.toLowerCase(), async (held) => {
          const current = await readRecord(disk, layout, id)
          if (!current) throw await unknownRecord({ ids }, id)
          if (ifMatch !== undefined && current.etag !== ifMatch) throw changedMeanwhile(id, current.etag)
          const text = await edit(current)
          if (text === undefined) return { etag: current.etag ?? '', path: current.path }
          return commitChange(files, id, text, held)
        })
      }),
    preparing: (action) =>
      storing(layout, async () => {
        await prepare()
        return action()
      }),
    locked: (name, action) =>
      storing(layout, async () => {
        await prepare()
        return withLock(locks, name, action)
      }),
  }
}

interface Files {
  readonly disk: Disk
  readonly layout: Layout
  written(id: string): void
}

async function commitNew(files: Files, id: string, text: string): Promise<Written> {
  const { layout } = files
  try {
    const temp = newTemp(layout, 'record')
    await createFileDurably(recordFile(layout, id), text, {
      disk: noting(files, id),
      mode: RECORD_MODE,
      temp,
    })
  } catch (thrown) {
    throw systemCode(thrown) === 'EEXIST' ? alreadyThere(id) : thrown
  }
  return announced(files, id, text)
}

async function commitChange(files: Files, id: string, text: string, held: HeldLock): Promise<Written> {
  const { layout } = files
  await writeFileDurably(recordFile(layout, id), text, {
    disk: noting(files, id),
    mode: RECORD_MODE,
    temp: newTemp(layout, 'record'),
    // Another process may have taken the lock over while this one was suspended.
    beforeCommit: held.check,
  })
  return announced(files, id, text)
}

/** The disk, on which the step that gives the record's file its name is noted before anything waits for a flush. */
function noting(files: Files, id: string): Disk {
  const name = basename(recordFile(files.layout, id))
  return {
    ...files.disk,
    link: (from, to) => notingChange(files, name, () => files.disk.link(from, to)),
    rename: (from, to) => notingChange(files, name, () => files.disk.rename(from, to)),
  }
}

function announced({ layout, written }: Files, id: string, text: string): Written {
  written(id)
  return { etag: sha256(text), path: relative(layout.root, recordFile(layout, id)) }
}

/** The ids of the files of records, in order. */
export async function recordIds(disk: Disk, layout: Layout): Promise<string[]> {
  const files = (await orMissing(disk.list(layout.records))) ?? []
  return files
    .filter((file) => file.endsWith('.json') && isUuid(file.slice(0, -5)))
    .map((file) => file.slice(0, -5))
    .sort()
}

async function storing<T>(layout: Layout, action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (thrown) {
    throw asStoreError(thrown, layout)
  }
}

/** Removes temporary files that are over an hour old. */
async function removeStaleTemps(disk: Disk, layout: Layout, now: number): Promise<void> {
  for (const name of await disk.list(layout.temps)) {
    const path = join(layout.temps, name)
    const stat = await disk.stat(path)
    if (name !== IGNORE_FILE && stat?.kind === 'file' && now - stat.modifiedMs > STALE_TEMP_MS)
      await removeQuietly(disk, path)
  }
}

function ignoreExisting(thrown: unknown): void {
  if (systemCode(thrown) !== 'EEXIST') throw thrown
}

/** The error for an id that is taken. */
export function alreadyThere(id: string): SatchelError {
  return refusals.exists({ id }, { details: { id }, next: { tool: 'handoff_get', args: { id } } })
}

/** The error for an unknown record, with the ids that a mistyped one may mean. */
export async function unknownRecord({ ids }: Pick<Store, 'ids'>, id: string): Promise<SatchelError> {
  const known = await ids()
  const details = { id: quoted(id, 80), near: nearIds(id, known) }
  if (known.length === 0) return refusals.no_record({ details })
  return refusals.record_not_found({ id: quoted(id, 80) }, { details })
}

/** The error for an etag that is not current. */
export function changedMeanwhile(id: string, etag: string | undefined): SatchelError {
  return refusals.etag_mismatch({
    details: { id, etag: etag ?? null },
    next: { tool: 'handoff_get', args: { id } },
  })
}
