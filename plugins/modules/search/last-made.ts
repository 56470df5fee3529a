/**
 * Keeps the last value that was made, as long as it is asked for with the same key; askers at one time share one making,
 * and a failure is not kept.
 */
export function lastMade<T>(): (key: readonly unknown[], make: () => Promise<T>) => Promise<T> {
  let held: { readonly key: readonly unknown[]; readonly value: Promise<T> } | undefined
  return (key, make) => {
    if (held && key.length === held.key.length && key.every((part, at) => part === held?.key[at]))
      return held.value
    const value = make()
    const made = { key, value }
    held = made
    value.catch(() => {
      if (held === made) held = undefined
    })
    return value
  }
}
