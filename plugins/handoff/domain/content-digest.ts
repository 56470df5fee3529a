import { createHash } from 'node:crypto'
import { type JsonDocument, rawMembers } from './json-text.ts'

/** Members that may change after a record is released (design handoff, section 5). */
const OUTSIDE: ReadonlySet<string> = new Set(['status', 'flags', 'updated_at', 'validation', 'x_satchel'])

/** `sha256:<hex>` over name and text of every top-level member but those that a transition writes. */
export function contentDigest(document: JsonDocument): string {
  const hash = createHash('sha256')
  for (const { name, raw } of rawMembers(document)) {
    if (!OUTSIDE.has(name)) hash.update(`${JSON.stringify(name)}\u0000${raw}\u0000`)
  }
  return `sha256:${hash.digest('hex')}`
}
