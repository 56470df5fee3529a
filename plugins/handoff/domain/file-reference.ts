import type { FileFact } from './world-facts.ts'

/** Lines in a file, as people and compilers write them: `:2`, `:2-5`, `:2:7`, `#L2`, `#L2-L5`, `#L2C1-L5C9`. */
const LINES = /(?::\d+(?::\d+)?(?:-\d+(?::\d+)?)?|#L\d+(?:C\d+)?(?:-L?\d+(?:C\d+)?)?)$/

/** The paths that a reference of file evidence may mean: as written, then without the lines at its end. */
export function pathsOfReference(reference: string): readonly string[] {
  const path = reference.replace(LINES, '')
  return [reference, path].filter((one, index, all) => one !== '' && all.indexOf(one) === index)
}

/** The file that a reference means; undefined if nothing is known of it. A file of the literal name comes first. */
export function fileOfReference(reference: string, files: ReadonlyMap<string, FileFact>) {
  const known = pathsOfReference(reference).flatMap((path) => {
    const fact = files.get(path)
    return fact ? { path, fact } : []
  })
  return known.find(({ fact }) => fact.kind !== 'missing') ?? known.at(-1)
}
