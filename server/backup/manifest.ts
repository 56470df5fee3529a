import { createHash } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod'
import { realDisk } from '../platform/disk.ts'
import { parsedJson } from '../platform/json-object.ts'
import { refusals } from './refusals.ts'

/** The form of a backup. A higher number is of a newer satchel. */
export const BACKUP_VERSION = 1
/** Written last: a folder without it is not a complete backup. */
export const MANIFEST = 'manifest.json'

const MAX_BYTES = 256 * 1024 * 1024
/** Relative, with slashes, without `.` and `..`. */
const NAME = /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[^/\\\0][^\\\0]*(?<!\/)$/
const name = z.string().max(4096).regex(NAME)

const storedStore = z.object({
  plugin: name,
  store: name,
  files: z.array(z.object({ name, size: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) })),
})
const manifest = z.object({
  version: z.literal(BACKUP_VERSION),
  satchel: z.string(),
  created_at: z.string(),
  project: z.string(),
  stores: z.array(storedStore),
  /** Of the stores, so that a changed manifest is noticed too. */
  sha256: z.string(),
})

export type StoredStore = z.output<typeof storedStore>
export type Manifest = z.output<typeof manifest>

/** The digest of the list of stores. */
export function digestOf(stores: readonly StoredStore[]): string {
  return createHash('sha256').update(JSON.stringify(stores)).digest('hex')
}

/** The folder of a store in a backup. */
export function folderOf(backup: string, { plugin, store }: Pick<StoredStore, 'plugin' | 'store'>): string {
  return join(backup, encodeURIComponent(plugin), encodeURIComponent(store))
}

/** Reads the manifest. Errors: `not_found`/`backup_not_found`; `invalid`/`backup_damaged`, `backup_newer`. */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST)
  const facts = await realDisk.stat(path)
  if (facts?.kind !== 'file') throw refusals.backup_not_found({ folder })
  const damaged = (fault: string) => refusals.backup_damaged({ place: MANIFEST, fault })
  if (facts.size > MAX_BYTES) throw damaged('it is too large')
  const value = parsedJson((await realDisk.readFile(path)).toString('utf8'))
  const { version, satchel } = Object(value)
  if (typeof version === 'number' && version > BACKUP_VERSION) {
    throw refusals.backup_newer({ version: String(satchel).slice(0, 40) })
  }
  const found = manifest.safeParse(value)
  if (!found.success) throw damaged('it does not have the form of a manifest')
  if (digestOf(found.data.stores) !== found.data.sha256) throw damaged('its digest is wrong')
  return found.data
}
