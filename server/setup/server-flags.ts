/** A flag that this call gives to the configured server. An empty value takes it out. */
export interface TypedFlag {
  readonly name: string
  readonly value: string
}

/** The flags of a configured server: those of this call, and as they are those of the entry that it does not give. */
export function mergedFlags(
  existing: readonly string[],
  typed: readonly TypedFlag[],
): { readonly flags: readonly string[]; readonly kept: readonly string[] } {
  const kept = groupsOf(existing).filter(([first = '']) => !typed.some(({ name }) => name === nameOf(first)))
  const given = typed.flatMap(({ name, value }) => (value === '' ? [] : [name, value]))
  return { flags: [...kept.flat(), ...given], kept: kept.flat() }
}

/** Each flag with the words of its value. */
function groupsOf(words: readonly string[]): readonly (readonly string[])[] {
  const groups: string[][] = []
  for (const word of words) {
    const last = groups.at(-1)
    if (last && !word.startsWith('--')) last.push(word)
    else groups.push([word])
  }
  return groups
}

/** `--room` of `--room=plan.md` too. */
function nameOf(word: string): string {
  return word.split('=', 1)[0] ?? word
}
