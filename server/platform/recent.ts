/** Values that were used last, by key. Owned by its maker, and forgotten with it. */
interface Recent<K, V> {
  /** The value of a key, made if it is not kept. */
  get(key: K, make: () => V): V
}

/** Keeps at most `most` values: the one that was not used for longest makes room. */
export function keepRecent<K, V>(most: number): Recent<K, V> {
  const kept = new Map<K, V>()
  return {
    get(key, make) {
      const known = kept.get(key)
      const value = known === undefined ? make() : known
      if (known !== undefined) kept.delete(key)
      kept.set(key, value)
      if (kept.size > most) {
        const [oldest] = kept.keys()
        if (oldest !== undefined) kept.delete(oldest)
      }
      return value
    },
  }
}
