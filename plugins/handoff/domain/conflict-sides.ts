/** The versions that a file with git's conflict markers holds. */
export interface ConflictSides {
  readonly ours: string
  readonly theirs: string
  /** The common version, if the markers show it (`merge.conflictStyle` diff3 or zdiff3). */
  readonly base: string | undefined
}

type Part = 'all' | 'ours' | 'base' | 'theirs'

/** git writes seven characters; `conflict-marker-size` can make them more. No line of JSON starts with them. */
const MARKER = /^(<{7,}|\|{7,}|={7,}|>{7,})(?: |\r?$|$)/

/** Separates the versions; undefined for a text without markers, or with markers that do not pair. */
export function conflictSides(text: string): ConflictSides | undefined {
  const lines: Record<Part, { readonly line: string; readonly at: number }[]> = {
    all: [],
    ours: [],
    base: [],
    theirs: [],
  }
  const markers = { '<': 0, '|': 0, '=': 0, '>': 0 }
  let part: Part = 'all'
  for (const [at, line] of text.split('\n').entries()) {
    const marker = MARKER.exec(line)?.[1]?.[0] as keyof typeof markers | undefined // one of the pattern's four
    const next: Part | undefined = marker === undefined ? part : FOLLOWS[part][marker]
    if (next === undefined) return undefined
    if (marker === undefined) lines[part].push({ line, at })
    else markers[marker] += 1
    part = next
  }
  if (markers['<'] === 0 || part !== 'all') return undefined
  const textOf = (side: Part) =>
    [...lines.all, ...lines[side]]
      .sort((a, b) => a.at - b.at)
      .map(({ line }) => line)
      .join('\n')
  return {
    ours: textOf('ours'),
    theirs: textOf('theirs'),
    base: markers['|'] === markers['<'] ? textOf('base') : undefined,
  }
}

/** Part -> first character of a marker -> the part after it. */
const FOLLOWS: Readonly<Record<Part, Readonly<Record<string, Part>>>> = {
  all: { '<': 'ours' },
  ours: { '|': 'base', '=': 'theirs' },
  base: { '=': 'theirs' },
  theirs: { '>': 'all' },
}
