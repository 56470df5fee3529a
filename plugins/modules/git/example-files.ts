/** Reads the files of the examples that a repository has for a module, from the clone that an ingest left. */
import { posix } from 'node:path'
import { moduleFlavour } from '../domain/module-files.ts'
import { type ClonePlace, readClone } from './clone-reader.ts'

export interface ExampleFile {
  /** Repository-relative. */
  readonly path: string
  readonly text: string
}

const EXAMPLES = /^(?:examples?|samples?)$/
const MAX_FILES = 400
const MAX_FILE_BYTES = 128 * 1024

/**
 * The HCL files below `examples/` of the repository, of the module's directory and of those above it, in the order of their
 * paths; at most 400. Undefined where the commit cannot be read, as in `readClone`; nothing is fetched.
 */
export async function readExamples(
  place: ClonePlace,
  modulePath: string,
): Promise<readonly ExampleFile[] | undefined> {
  return await readClone(place, async (trees, blobs) => {
    const { files } = await trees.treeOf(place.commit, (directory) => leadsToExample(directory, modulePath))
    const wanted = files.filter(
      ({ path }) => isBelowExamples(path) && moduleFlavour(posix.basename(path)) === 'hcl',
    )
    const texts = wanted.slice(0, MAX_FILES).map(async ({ path, oid }): Promise<ExampleFile[]> => {
      const bytes = (await blobs.read(oid, MAX_FILE_BYTES))?.bytes
      return bytes === undefined || bytes.includes(0) ? [] : [{ path, text: new TextDecoder().decode(bytes) }]
    })
    return (await Promise.all(texts)).flat()
  })
}

function isBelowExamples(path: string): boolean {
  return path.split('/').some((part) => EXAMPLES.test(part))
}

function leadsToExample(directory: string, modulePath: string): boolean {
  return isBelowExamples(directory) || modulePath === directory || modulePath.startsWith(`${directory}/`)
}
