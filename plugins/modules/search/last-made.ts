/**
 * Caches the last value while it is requested with the same key; concurrent callers share one computation, and a
 * failure is not cached.
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
