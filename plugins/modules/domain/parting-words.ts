/** What its authors said of an input or output that a later version lacks. */
import type { Named } from './named-pairs.ts'

/** An input or output of the version that still has it. */
export interface Parting extends Named {
  readonly description: string
  readonly deprecated?: string
}

/** How a description begins of what is to go; authors misspell the word. */
const MARK = /^\W*(?:dep\w*ecated|obsolete)\b/i
const POINTER = /\b(?:use|see|replaced|favou?r|superseded|renamed|moved|instead|no longer)\b/i
/** What follows such a word, to the end of its sentence or clause. */
const POINTED =
  /\b(?:use|see|(?:replaced|superseded) (?:by|with)|favou?r of|(?:renamed|moved) to)\b((?:[^.;:]|\.(?=\w))*)/giu
/** Plain words do not count: a name has an underscore or is between backticks. */
const NAME = /`([\p{L}_][\p{L}\p{N}_.-]*)`|(?<![\p{L}\p{N}_.-])([\p{L}\p{N}.-]*_[\p{L}\p{N}_.-]*)/gu

/** The line that tells what to do instead; undefined where nothing does. Foreign text. */
export function partingWords({ description, deprecated }: Parting): string | undefined {
  if (deprecated !== undefined) return deprecated
  const line = description.trim().split('\n', 1)[0] ?? ''
  return MARK.test(line) && POINTER.test(line) ? line : undefined
}

/** The only one of the names that the words send to. */
export function successorIn(parting: Parting, names: ReadonlySet<string>): string | undefined {
  const clauses = [...(partingWords(parting) ?? '').matchAll(POINTED)].map(([, clause = '']) => clause)
  const named = clauses.flatMap((clause) =>
    [...clause.matchAll(NAME)].map(([, quoted, plain]) => (quoted ?? plain ?? '').replace(/[.-]+$/, '')),
  )
  const found = [...new Set(named)].filter((name) => name !== parting.name && names.has(name))
  return found.length === 1 ? found[0] : undefined
}
