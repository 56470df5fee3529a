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
