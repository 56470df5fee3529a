import { isJsonObject } from '../../../server/plugin.ts'

/** JSON pointers (RFC 6901) as text and as tokens. */

/** `/a~1b/0` as `['a/b', '0']`; the empty pointer as `[]`. Undefined for text that is not a pointer. */
export function pointerTokens(pointer: string): string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The pointer to the member or element `token` of the value at `base`. */
export function childPointer(base: string, token: string | number): string {
  return `${base}/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** The pointer of a path of tokens. */
export function pointerOf(tokens: readonly (string | number)[]): string {
  return tokens.reduce<string>(childPointer, '')
}

export type Resolution = { readonly kind: 'found'; readonly value: unknown } | { readonly kind: 'missing' }

/** The value at a pointer. Only own members count: `/__proto__` is found only if the document contains it. */
export function resolvePointer(root: unknown, pointer: string): Resolution {
  const tokens = pointerTokens(pointer)
  if (!tokens) return { kind: 'missing' }
  let value = root
  for (const token of tokens) {
    const next = member(value, token)
    if (next.kind === 'missing') return next
    value = next.value
  }
  return { kind: 'found', value }
}

function member(value: unknown, token: string): Resolution {
  if (Array.isArray(value)) {
    const index = /^(?:0|[1-9][0-9]{0,8})$/.test(token) ? Number(token) : value.length
    return index < value.length ? { kind: 'found', value: value[index] } : { kind: 'missing' }
  }
  if (!isJsonObject(value) || !Object.hasOwn(value, token)) return { kind: 'missing' }
  return { kind: 'found', value: value[token] }
}
