import { relative } from 'node:path'
import { counted } from '../../../server/plugin.ts'
import type { Project } from '../project.ts'
import { recordIds } from '../store/store.ts'

/** Records of a project that are files alone, although a database has its records. */
interface RecordsInFiles {
  readonly count: number
  /** From the root of the project. */
  readonly folder: string
}

/** Those that were there before the database, or came from someone without it; undefined where there are none. */
export async function recordsInFiles({ root, store }: Project): Promise<RecordsInFiles | undefined> {
  if (store.keepsFiles) return undefined
  // The rows can be read also where that folder cannot.
  const files = await recordIds(store.disk, store.layout).catch(() => [])
  if (files.length === 0) return undefined
  const rows = new Set((await store.ids()).map((id) => id.toLowerCase()))
  const count = files.filter((id) => !rows.has(id.toLowerCase())).length
  return count === 0 ? undefined : { count, folder: relative(root, store.layout.records) }
}

/** The line that tells of them, in a list of its own; none where there are none. */
export async function filesNotice(project: Project): Promise<readonly string[]> {
  const found = await recordsInFiles(project)
  if (found === undefined) return []
  const what = `${counted(found.count, 'record')} of this project ${found.count === 1 ? 'is' : 'are'} in files of ${found.folder} and not in the database`
  return [`${what}: satchel storage import copies them.`]
}
