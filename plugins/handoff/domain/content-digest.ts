import { createHash } from 'node:crypto'
import { documentOf, type JsonDocument, rawMembers } from './json-text.ts'
import { extension, type Handoff, isEditable } from './record.ts'

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

/**
 * True for a released record whose content is not what was released; without a stored digest nothing is known. A checkout
 * that only converted line ends altered nothing.
 */
export function isAltered(stored: { readonly record: Handoff; readonly document: JsonDocument }): boolean {
  const { record, document } = stored
  const { content_sha256 } = extension(document.value)
  if (content_sha256 === undefined || isEditable(record)) return false
  if (contentDigest(document) === content_sha256) return false
  const unix = document.text.replaceAll('\r\n', '\n')
  const others = [unix, unix.replaceAll('\n', '\r\n')].filter((text) => text !== document.text)
  return others.every((text) => contentDigest(documentOf(text)) !== content_sha256)
}
