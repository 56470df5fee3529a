/** Memoizes a function without arguments: what is slow to make is made at its first use. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Memoizes a function for the lifetime of its argument, which is never changed. */
export function onceFor<Source extends object, Answer>(
  make: (source: Source) => Answer,
): (source: Source) => Answer {
  const made = new WeakMap<Source, { readonly answer: Answer }>()
  return (source) => {
    const known = made.get(source) ?? { answer: make(source) }
    made.set(source, known)
    return known.answer
  }
}
