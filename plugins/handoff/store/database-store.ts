import type { Database, Disk } from '../../../server/plugin.ts'
import { createFileDurably, orMissing } from '../../../server/plugin.ts'
import { isUuid, sha256 } from '../domain/record-id.ts'
import { type RecordRow, rowOf } from '../domain/record-row.ts'
import { refusals } from '../reasons.ts'
import type { ClaimShelf } from './claim-shelf.ts'
import { ensureFolder, ensureOwnFolder } from './ensure-folder.ts'
import { GITIGNORE, type Layout, newTemp, RECORD_MODE } from './layout.ts'
import { storedProjectId } from './project-identity.ts'
import { DATABASE_RECORDS, parseRecord } from './read-record.ts'
import { LONGEST_WAIT_MS, lockedBy } from './record-lock.ts'
import { type RecordRows, recordRows } from './record-rows.ts'
import {
  alreadyThere,
  changedMeanwhile,
  type RootCommit,
  type Store,
  unknownRecord,
  type Written,
} from './store.ts'

export interface DatabaseStoreParts {
  readonly database: Database
  readonly disk: Disk
  readonly layout: Layout
  /** `handoff.project`; absent: what the store's folder or git say. */
  readonly named: string | undefined
  readonly rootCommit: RootCommit
  /** How long a write waits for another one of the same record; absent: 5 s. */
  readonly lockMs?: number | undefined
  /** Runs after every commit. */
  onWrite?(id: string): void
}

/** The rows of a project, and its key, which are found at the first use. */
export interface ProjectRows {
  key(): Promise<string>
  rows(): Promise<RecordRows>
}

/**
 * The project's rows. Its key is the same on every machine: the setting, else the id in the store's `config.json`, else
 * the root commit. Errors: `invalid`/`project_unnamed` where there is none of them, `unavailable`/`history_untold` where git
 * took too long to tell.
 */
export function projectRows({ database, disk, layout, named, rootCommit }: DatabaseStoreParts): ProjectRows {
  let known: Promise<string> | undefined
  const find = async (): Promise<string> => {
    const stored = named ?? (await storedProjectId(disk, layout))
    if (stored !== undefined) return stored
    const root = await rootCommit()
    if (root === 'untold') throw refusals.history_untold()
    if (root === 'none') throw refusals.project_unnamed()
    return `git:${root.commit}`
  }
  const key = (): Promise<string> => {
    known ??= find().catch((thrown) => {
      known = undefined
      throw thrown
    })
    return known
  }
  return { key, rows: async () => recordRows(database, await key()) }
}

/** The records of a project as rows of the database. */
export function openDatabaseStore(parts: DatabaseStoreParts, project: ProjectRows): Store {
  const { database, disk, layout, lockMs = LONGEST_WAIT_MS } = parts
  const { key, rows } = project
  let prepared: Promise<void> | undefined

  /** The project's row, and the folder for what belongs to this machine. */
  const prepare = (): Promise<void> => {
    prepared ??= (async () => {
      await (await rows()).createProject()
      await prepareFolder(disk, layout)
    })().catch((thrown) => {
      prepared = undefined
      throw thrown
    })
    return prepared
  }
  const read = async (id: string) => {
    const row = isUuid(id) ? await (await rows()).read(id) : undefined
    return row && parseRecord(row.bytes, pathOf(row.id), row.writtenMs)
  }
  const ids = async () => (await rows()).ids()
  const locked: Store['locked'] = async (name, action) => {
    await prepare()
    // Every write is a condition on what it read, so that a lock that was lost has nothing to stop.
    const got = await database.locked(`handoff ${await key()} ${name}`, lockMs, () =>
      action({ check: () => {} }),
    )
    if (!got) throw lockedBy(name, undefined)
    return got.value
  }
  const announced = (id: string, text: string): Written => {
    parts.onWrite?.(id)
    return { etag: sha256(text), path: pathOf(id) }
  }
  return {
    keepsFiles: false,
    layout,
    disk,
    claims: claimsOf(project),
    exists: async () => (await (await rows()).head()).change > 0,
    ids,
    read,
    bytes: async (id) => (isUuid(id) ? (await (await rows()).read(id))?.bytes : undefined),
    projectId: key,
    projectIdForWriting: async () => {
      await prepare()
      return key()
    },
    async create(id, text) {
      await prepare()
      await insertNew(await rows(), id, Buffer.from(text))
      return announced(id, text)
    },
    async update(id, ifMatch, edit) {
      if (!(await read(id))) throw await unknownRecord({ ids }, id)
      return locked(id.toLowerCase(), async () => {
        const current = await read(id)
        if (!current) throw await unknownRecord({ ids }, id)
        if (ifMatch !== undefined && current.etag !== ifMatch) throw changedMeanwhile(id, current.etag)
        const text = await edit(current)
        const etag = current.etag ?? ''
        if (text === undefined || sha256(text) === etag) return { etag, path: current.path }
        const bytes = Buffer.from(text)
        if (!(await (await rows()).replace(id, etag, bytes, rowIn(bytes, id)))) {
          throw changedMeanwhile(id, (await read(id))?.etag)
        }
        return announced(id, text)
      })
    },
    async preparing(action) {
      await prepare()
      return action()
    },
    locked,
  }
}

function claimsOf({ rows }: ProjectRows): ClaimShelf {
  return {
    load: async (id) => (await rows()).claims.load(id),
    all: async () => (await rows()).claims.all(),
    put: async (id, claim, replaced) => (await rows()).claims.put(id, claim, replaced),
    remove: async (id) => (await rows()).claims.remove(id),
  }
}

export function pathOf(id: string): string {
  return `${DATABASE_RECORDS}${id.toLowerCase()}.json`
}

/** The columns of a record; undefined for bytes that are none. */
export function rowIn(bytes: Buffer, id: string): RecordRow | undefined {
  const found = parseRecord(bytes, pathOf(id), 0)
  return found.kind === 'record' ? rowOf(found.record, found.path, 0) : undefined
}

/** Errors: that of `alreadyThere`, for a record with this id or this idempotency key. */
async function insertNew(rows: RecordRows, id: string, bytes: Buffer): Promise<void> {
  const row = rowIn(bytes, id)
  if (await rows.insert(id, bytes, row)) return
  const taken = await takenId(rows, id, row)
  if (taken !== undefined) throw alreadyThere(taken)
  // The project's row went with the database: a restored one, or a standby that took over without it.
  await rows.createProject()
  if (!(await rows.insert(id, bytes, row))) throw alreadyThere((await takenId(rows, id, row)) ?? id)
}

/** The record that keeps another one from being inserted; undefined where none does. */
async function takenId(
  rows: RecordRows,
  id: string,
  row: RecordRow | undefined,
): Promise<string | undefined> {
  if (await rows.read(id)) return id
  const key = row?.idempotency_key
  return key ? rows.idOfKey(key) : undefined
}

/** A checkout that cannot be written has its index in memory. */
async function prepareFolder(disk: Disk, layout: Layout): Promise<void> {
  try {
    await ensureFolder(disk, layout.folder)
    await ensureOwnFolder(disk, layout.temps)
    if (await disk.stat(layout.gitignore)) return
    const temp = newTemp(layout, 'gitignore')
    await orMissing(createFileDurably(layout.gitignore, GITIGNORE, { disk, mode: RECORD_MODE, temp }))
  } catch {
    // only what can be computed again is missing
  }
}
