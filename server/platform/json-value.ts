import { isJsonObject } from './json-object.ts'

/** Depth below which a value is not converted. */
const MAX_DEPTH = 8

/** Reports whether JSON can be made of a value: no cycle, no BigInt, nothing that throws when it is read. */
export function isJson(value: unknown): boolean {
  try {
    JSON.stringify(value)
    return true
  } catch {
    return false
  }
}

/** Depth to which a value is searched for what is not plain. */
const MAX_PLAIN_DEPTH = 100

/** Reports whether a value is of texts, numbers, lists and plain objects alone, so that it is the same when JSON is made of it. */
export function isPlainJson(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return !NOT_JSON.includes(typeof value)
  if (depth > MAX_PLAIN_DEPTH) return false
  if (Array.isArray(value)) return value.every((one) => isPlainJson(one, depth + 1))
  const kind: unknown = Object.getPrototypeOf(value)
  if (kind !== Object.prototype && kind !== null) return false
  return Object.values(value).every((one) => isPlainJson(one, depth + 1))
}

const NOT_JSON: readonly string[] = ['bigint', 'function', 'symbol']

/** Returns the JSON object nearest to a value that has none; undefined for what is not an object or cannot be read. */
export function asJsonObject(value: unknown): Record<string, unknown> | undefined {
  const plain = asJson(value, [])
  return isJsonObject(plain) ? plain : undefined
}

/** A BigInt becomes its digits, a part of itself a mark, what JSON has no word for is left out. */
function asJson(value: unknown, around: readonly unknown[]): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'function' || typeof value === 'symbol') return undefined
  if (typeof value !== 'object' || value === null) return value
  if (around.includes(value)) return '[circular]'
  if (around.length > MAX_DEPTH) return '[deep]'
  try {
    const within = [...around, value]
    if (Array.isArray(value)) return value.map((one) => asJson(one, within) ?? null)
    if (isJson(value)) return JSON.parse(JSON.stringify(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, asJson(one, within)]))
  } catch {
    return '[unreadable]'
  }
}
