import { formatPatch, structuredPatch } from 'diff'

const CONTEXT_LINES = 3
/** Above this many added and removed lines the comparison would hold the page. */
const MAX_EDITS = 2000

/** What changed between two texts as a unified diff, with the line ends of both; undefined where too much changed. */
export function patchBetween(before: string, after: string): string | undefined {
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS }
  const patch = structuredPatch('document', 'document', before, after, undefined, undefined, options)
  return patch && formatPatch(patch)
}
