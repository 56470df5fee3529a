import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isJsonObject, makeFolder, writeFileDurably } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'

/** A room as files. */
export interface Story {
  readonly status: unknown
  readonly document: string
  readonly events: readonly unknown[]
}

const STATUS = 'status.json'

/**
 * Writes the files of a room into a folder, which is made when missing. Those of an earlier export of the same room are
 * replaced. Errors: `conflict`/`file_exists` for any other file in their place; `invalid`/`file_not_created`.
 */
export async function writeStory(folder: string, { status, document, events }: Story): Promise<void> {
  const texts: Readonly<Record<string, string>> = {
    'document.md': document,
    [STATUS]: `${JSON.stringify(status, null, 2)}\n`,
    'events.jsonl': events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  }
  if ((await roomIn(join(folder, STATUS))) !== idIn(status)) await refuseFiles(folder, Object.keys(texts))
  await created(folder, () => makeFolder(folder))
  for (const [name, text] of Object.entries(texts)) {
    const file = join(folder, name)
    await created(file, () => writeFileDurably(file, text))
  }
}

/** The room of which an export wrote this file; undefined for any other file, and for none. */
async function roomIn(file: string): Promise<unknown> {
  try {
    return idIn(JSON.parse(await readFile(file, 'utf8'))) ?? undefined
  } catch {
    return undefined
  }
}

function idIn(status: unknown): unknown {
  return isJsonObject(status) ? status['workspace_id'] : undefined
}

async function refuseFiles(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const file = join(folder, name)
    const found = await stat(file).catch(() => undefined)
    if (found) throw refusals.file_exists({ file })
  }
}

async function created(file: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
    throw refusals.file_not_created({ file, cause: code }, { cause })
  }
}
