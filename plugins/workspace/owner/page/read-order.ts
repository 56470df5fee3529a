/** The order of reads that overlap: what a later one found is not replaced by the answer of an earlier one. */
export interface ReadOrder<Thing> {
  /** Call it when a read begins. */
  begin(): number
  /** False where a read that began later was shown; otherwise this one is shown from now on. */
  shows(thing: Thing, read: number): boolean
}

/** Starts without reads. */
export function createReadOrder<Thing>(): ReadOrder<Thing> {
  const shown = new Map<Thing, number>()
  let begun = 0
  return {
    begin() {
      begun += 1
      return begun
    },
    shows(thing, read) {
      if ((shown.get(thing) ?? 0) > read) return false
      shown.set(thing, read)
      return true
    },
  }
}
