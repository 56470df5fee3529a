/** Reads the changelog of a repository from the clone that an ingest left. */
import { type ClonePlace, readClone } from './clone-reader.ts'

const NAME = /^changelog(?:\.(?:md|markdown|txt))?$/i
const MAX_BYTES = 1024 * 1024

/**
 * The text of `CHANGELOG.md` at the root of a commit. Undefined where the commit has none, where it is larger than 1 MiB
 * or no text, and where there is no clone; nothing is fetched.
 */
export async function readChangelog(place: ClonePlace): Promise<string | undefined> {
  return await readClone(place, async (trees, blobs) => {
    const root = await trees.entryAt(place.commit, '.')
    const name = root?.entries?.find((entry) => NAME.test(entry.name ?? ''))?.name
    const found = name === undefined ? undefined : await trees.entryAt(place.commit, name)
    if (found === undefined || !found.mode.startsWith('100')) return undefined
    const bytes = (await blobs.read(found.oid, MAX_BYTES))?.bytes
    return bytes === undefined || bytes.includes(0) ? undefined : new TextDecoder().decode(bytes)
  })
}
