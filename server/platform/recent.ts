/** Values that were used last, by key. Owned by its maker, and forgotten with it. */
interface Recent<K, V> {
  /** The value of a key, made if it is not kept. */
  get(key: K, make: () => V): V
}

/** Keeps values of at most `most` altogether, each of size 1 if nothing else is said: those not used for longest make room. */
export function keepRecent<K, V>(most: number, sizeOf: (value: V) => number = () => 1): Recent<K, V> {
  const kept = new Map<K, V>()
  let size = 0
  return {
    get(key, make) {
      const known = kept.get(key)
      const value = known === undefined ? make() : known
      if (!kept.delete(key)) size += sizeOf(value)
      kept.set(key, value)
      if (size > most) {
        for (const [oldest, old] of kept) {
          if (size <= most || oldest === key) break
          kept.delete(oldest)
          size -= sizeOf(old)
        }
      }
      return value
    },
  }
}
