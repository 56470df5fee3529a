/** Timestamps of records are free text; these read the ones that are times. */

const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:?\d{2})?$/

/** Milliseconds since 1970, or undefined for a text that is no time. A time without a zone is read as UTC. */
export function timeOf(text: string): number | undefined {
  if (!RFC3339.test(text)) return undefined
  const ms = Date.parse(hasZone(text) ? text : `${text}Z`)
  return Number.isNaN(ms) ? undefined : ms
}

/** True when the time says its zone. */
export function hasZone(text: string): boolean {
  return /(?:[Zz]|[+-]\d{2}:?\d{2})$/.test(text)
}
