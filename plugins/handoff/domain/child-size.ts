import type { SatchelError } from '../../../server/plugin.ts'
import { MAX_BRIEF_TOKENS } from './brief.ts'
import { CONTENT_MEMBERS, type Handoff, isEditable } from './record.ts'
import {
  countItems,
  MAX_ITEMS,
  MAX_RECORD_BYTES,
  type SizeFault,
  sizeFault,
  tooLarge,
} from './record-size.ts'

/** Callers are told to shorten their input only if at least this much room is left for it. */
const WORTH_SHORTENING_BYTES = 16 * 1024
const WORTH_SHORTENING_ITEMS = 20
const NAMED_PARTS = 3

/**
 * The error for a child that is too large, with a remedy: a child keeps what it inherits, so only the input can be
 * shortened, or the parent while it is a draft. `bare` is the child without any input. Nothing was written.
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
      `What it inherits leaves room for ${room} bytes and ${free} items: shorten what is given, or move a part of it to a later record.`,
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
      `${why} The parent is a ${parent.status === 'draft' ? 'draft' : 'validated draft'}: remove what no longer matters with handoff_update, then continue from it.`,
      { details, next: { tool: 'handoff_get', args: { id: parent.id } } },
    )
  }
  return tooLarge(
    fault,
    `${why} closes removes finished open items, but their descriptions stay. Otherwise create a record with handoff_create and parent: none that states what still matters and names ${parent.id}; its brief helps.`,
    {
      details,
      next: { tool: 'handoff_get', args: { id: parent.id, format: 'brief', max_tokens: MAX_BRIEF_TOKENS } },
    },
  )
}

/** The error for a merge that is too large, with a remedy. Nothing was written. */
export function mergeTooLarge(fault: SizeFault, parents: readonly string[]): SatchelError {
  const [a = '', b = ''] = parents
  return tooLarge(
    fault,
    'A merge keeps everything its parents hold. Continue one of them with handoff_branch instead, and add what matters from the others; the difference shows it.',
    { details: { parents }, next: { tool: 'handoff_diff', args: { a, b } } },
  )
}

function inheritedBytes(parent: Handoff): Readonly<Record<string, number>> {
  return Object.fromEntries(
    CONTENT_MEMBERS.map((name) => [name, Buffer.byteLength(JSON.stringify(parent[name] ?? [], null, 2))]),
  )
}
