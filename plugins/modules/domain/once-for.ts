/**
 * Memoizes a pure function for the lifetime of its argument: the refs of a repository share most of their files, and
 * what is derived from a file is computed once.
 */
export function onceFor<Source extends object, Answer>(
  make: (source: Source) => Answer,
): (source: Source) => Answer {
  const made = new WeakMap<Source, { readonly answer: Answer }>()
  return (source) => {
    const known = made.get(source)
    if (known !== undefined) return known.answer
    const answer = make(source)
    made.set(source, { answer })
    return answer
  }
}
