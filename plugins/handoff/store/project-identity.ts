import { randomUUID } from 'node:crypto'
import {
  createFileDurably,
  type Disk,
  isJsonObject,
  orMissing,
  parsedJson,
  systemCode,
} from '../../../server/plugin.ts'
import type { Root } from '../domain/commit-id.ts'
import { type Layout, newTemp, RECORD_MODE } from './layout.ts'

/** The project id in `config.json` of a store. The file is meant to be committed. */
export async function storedProjectId(disk: Disk, layout: Layout): Promise<string | undefined> {
  const bytes = await orMissing(disk.readFile(layout.config))
  const config = bytes && parsedJson(bytes.toString('utf8'))
  // handoff_doctor reports a damaged file; it is never overwritten
  const id = isJsonObject(config) ? config['project_id'] : undefined
  return typeof id === 'string' && id !== '' ? id : undefined
}

/**
 * The project's id, stored at the first write: `git:<root commit>` when `rootCommit` finds one, `p-<uuid>` when there is
 * none. Never derived from the path. Undefined, and nothing is stored, where git took too long to tell.
 */
export async function projectIdForWriting(
  disk: Disk,
  layout: Layout,
  rootCommit: () => Promise<Root>,
): Promise<string | undefined> {
  const stored = await storedProjectId(disk, layout)
  if (stored !== undefined) return stored
  const root = await rootCommit()
  if (root === 'untold') return undefined
  return storeProjectId(disk, layout, root === 'none' ? `p-${randomUUID()}` : `git:${root.commit}`)
}

/** Stores the id of a project whose store has none; gives the id that is stored. */
export async function storeProjectId(disk: Disk, layout: Layout, id: string): Promise<string> {
  try {
    const text = `${JSON.stringify({ project_id: id }, null, 2)}\n`
    const temp = newTemp(layout, 'config')
    await createFileDurably(layout.config, text, { disk, mode: RECORD_MODE, temp })
  } catch (thrown) {
    if (systemCode(thrown) !== 'EEXIST') throw thrown
    return (await storedProjectId(disk, layout)) ?? id
  }
  return id
}
