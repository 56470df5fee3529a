/**
 * A pure function whose answer is kept as long as the object it was made of: the refs of a repository share most of
 * their files, and what follows from one of them is worked out once.
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
