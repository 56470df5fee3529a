const MAX_INLINED_CHARS = 4_000

/** An expression whose locals are replaced by what they are, three levels deep. `locals`: their texts by address. */
export function inlined(text: string, locals: ReadonlyMap<string, string>, depth = 3): string {
  const replaced = text.replace(/(?<![\w.])local\.[\p{L}_][\p{L}\p{N}_-]*/gu, (address) => {
    const value = locals.get(address)
    if (value === undefined) return address
    return /^[\p{L}\p{N}_.[\]"-]+$/u.test(value) ? value : `(${value})`
  })
  if (replaced === text || depth === 0 || replaced.length > MAX_INLINED_CHARS) return replaced
  return inlined(replaced, locals, depth - 1)
}
