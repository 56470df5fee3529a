/** How far the files of this machine follow the rows of a catalogue: `.satchel/followed.json`. */
import { join } from 'node:path'
import * as z from 'zod'
import {
  type Disk,
  makeDirectoryDurably,
  parsedJson,
  realDisk,
  writeFileDurably,
} from '../../../server/plugin.ts'
import { stateDir } from '../output/module-index.ts'

const stored = z.object({
  format: z.literal(1),
  catalogue: z.string(),
  life: z.string(),
  change: z.number().int(),
  /** A run writes here, or was killed: the files may hold what no row has. */
  dirty: z.boolean(),
})

export type FollowedState = Omit<z.output<typeof stored>, 'format'>

/** The state; undefined where nothing was followed yet. */
export async function loadFollowed(outputDir: string, disk = realDisk): Promise<FollowedState | undefined> {
  const text = await disk.readFile(pathOf(outputDir)).catch(() => undefined)
  // Where it is damaged, everything is followed again.
  return text && stored.safeParse(parsedJson(text.toString('utf8'))).data
}

/** Replaces the state. Errors: the file system's own. */
export async function saveFollowed(outputDir: string, state: FollowedState, disk?: Disk): Promise<void> {
  await makeDirectoryDurably(stateDir(outputDir), undefined, disk)
  await writeFileDurably(pathOf(outputDir), JSON.stringify({ format: 1, ...state }), disk ? { disk } : {})
}

function pathOf(outputDir: string): string {
  return join(stateDir(outputDir), 'followed.json')
}
