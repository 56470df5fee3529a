/** Adds to the list of a key, which begins with its first value. */
export function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

/** The entries of each key, in their order. */
export function grouped<K, V>(all: Iterable<V>, keyOf: (entry: V) => K): Map<K, V[]> {
  const lists = new Map<K, V[]>()
  for (const entry of all) addTo(lists, keyOf(entry), entry)
  return lists
}
