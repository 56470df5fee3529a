import type { SatchelError } from '../../../server/plugin.ts'
import { MAX_BRIEF_TOKENS } from './brief.ts'
import { type Handoff, isEditable } from './record.ts'
import {
  countItems,
  MAX_ITEMS,
  MAX_RECORD_BYTES,
  type SizeFault,
  sizeFault,
  tooLarge,
} from './record-size.ts'

/** A child is told to shorten what was given only where there is at least this much room for it. */
const WORTH_SHORTENING_BYTES = 16 * 1024
const WORTH_SHORTENING_ITEMS = 20
const NAMED_PARTS = 3

/** What a child takes over. */
const INHERITED = [
  'work',
  'summary',
  'decisions',
  'artifacts',
  'evidence',
  'failed_attempts',
  'open_items',
  'risks',
] as const

/**
 * Why a child cannot be stored, with what its author can do: what is inherited stays, so that only what is given can be made
 * shorter, or the parent while it is a draft. `bare` is the child with nothing given. Nothing was written.
 */
export function childTooLarge(
  fault: SizeFault,
  parent: Handoff,
  bare: Readonly<Record<string, unknown>>,
): SatchelError {
  const bareText = `${JSON.stringify(bare, null, 2)}\n`
  const room = MAX_RECORD_BYTES - Buffer.byteLength(bareText)
  const free = MAX_ITEMS - countItems(bare)
  const fits = sizeFault(bareText, bare) === undefined
  const details = { inherited_bytes: inheritedBytes(parent), room_bytes: Math.max(0, room) }
  if (fits && room >= WORTH_SHORTENING_BYTES && free >= WORTH_SHORTENING_ITEMS) {
    return tooLarge(
      fault,
      `What it inherits leaves room for ${room} bytes and ${free} items: shorten what is given, or give a part of it to a later record.`,
      { details },
    )
  }
  const largest = Object.entries(details.inherited_bytes)
    .sort(([, a], [, b]) => b - a)
    .slice(0, NAMED_PARTS)
    .map(([name, bytes]) => `${name} ${bytes} bytes`)
  const why = `Nearly all of it is inherited (${largest.join(', ')}), and a child keeps what it inherits.`
  if (isEditable(parent)) {
    return tooLarge(
      fault,
      `${why} The parent is a ${parent.status === 'draft' ? 'draft' : 'validated draft'}: take out of it what no longer matters with handoff_update, then go on from it.`,
      { details, next: { tool: 'handoff_get', args: { id: parent.id } } },
    )
  }
  return tooLarge(
    fault,
    `${why} closes takes done open items out, but their descriptions stay. Else write a new record with handoff_create and parent: none that says what still matters and names ${parent.id}; its brief helps.`,
    {
      details,
      next: { tool: 'handoff_get', args: { id: parent.id, format: 'brief', max_tokens: MAX_BRIEF_TOKENS } },
    },
  )
}

/** Why a merge cannot be stored, with what its author can do. Nothing was written. */
export function mergeTooLarge(fault: SizeFault, parents: readonly string[]): SatchelError {
  const [a = '', b = ''] = parents
  return tooLarge(
    fault,
    'A merge keeps all that its parents hold. Go on from one of them with handoff_branch instead, and write into it what matters of the others; the difference shows it.',
    { details: { parents }, next: { tool: 'handoff_diff', args: { a, b } } },
  )
}

function inheritedBytes(parent: Handoff): Readonly<Record<string, number>> {
  return Object.fromEntries(
    INHERITED.map((name) => [name, Buffer.byteLength(JSON.stringify(parent[name] ?? [], null, 2))]),
  )
}
