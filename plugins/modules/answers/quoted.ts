/** Longest part of a query that a headline repeats, in characters. */
const QUERY_SHOWN_CHARS = 120

/** A query as a headline quotes it. */
export function quoted(query: string): string {
  const line = query.replace(/\s+/g, ' ')
  return JSON.stringify(line.length <= QUERY_SHOWN_CHARS ? line : `${line.slice(0, QUERY_SHOWN_CHARS)}…`)
}
