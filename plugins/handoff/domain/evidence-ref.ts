/** A commit as evidence names it: hex, maybe behind `git:`. */
export function commitOf(ref: string): string | undefined {
  return /^(?:git:)?([0-9a-f]{7,64})$/.exec(ref)?.[1]
}
