import { join } from 'node:path'
import { type Disk, isJsonObject, removeQuietly } from '../../../server/plugin.ts'

/** A version as a file had it. */
export interface FileVersion {
  readonly version: number
  readonly hash: string
}

/** Which version this machine's copy of the file last was: what an edit of the copy is an edit of. */
export interface FileOrigin {
  /** Undefined where no owner here noted one. */
  read(): FileVersion | undefined
  /** After the file is that version, durably: a note may be behind the file, never ahead of it. */
  note(version: FileVersion): Promise<void>
}

const NAME = 'file.json'

/** The origin of a copy whose room has this sidecar; for the owner. `tempPath` names files that the next owner removes. */
export function openFileOrigin(disk: Disk, sidecar: string, tempPath: () => string): FileOrigin {
  const path = join(sidecar, NAME)
  let noted = readNote(disk, path)
  return {
    read: () => noted,
    async note({ version, hash }) {
      if (noted?.version === version && noted.hash === hash) return
      const temp = tempPath()
      try {
        // Not flushed: a note that a power cut takes back is only behind.
        disk.appendSync(temp, JSON.stringify({ version, hash }))
        await disk.rename(temp, path)
        noted = { version, hash }
      } catch {
        await removeQuietly(disk, temp)
        // A full disk: the note stays behind, and the next version is noted again.
      }
    },
  }
}

function readNote(disk: Disk, path: string): FileVersion | undefined {
  try {
    const note: unknown = JSON.parse(disk.readFileSync(path).toString('utf8'))
    if (!isJsonObject(note)) return undefined
    const { version, hash } = note
    return typeof version === 'number' && typeof hash === 'string' ? { version, hash } : undefined
  } catch {
    return undefined // none yet, or one that a power cut left empty
  }
}
