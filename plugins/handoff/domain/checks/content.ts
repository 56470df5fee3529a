import { isJsonObject } from '../../../../server/plugin.ts'
import { briefFields } from '../brief-fields.ts'
import { suspicionOf } from '../injection.ts'
import { childPointer, pointerOf, resolvePointer } from '../json-pointer.ts'
import { findRandomText, findSecrets, quoted } from '../secrets.ts'
import { type CheckFinding, type CheckOutcome, type CheckRule, fail, type Subject, warn } from './check.ts'

/** Checks of the texts: secrets, redactions, transcripts, instructions to the reader. */
export const CONTENT_CHECKS: readonly CheckRule[] = [
  { name: 'secrets', level: 'semantic', run: checkSecrets },
  { name: 'redactions', level: 'semantic', run: checkRedactions },
  { name: 'transcript', level: 'semantic', run: checkTranscript },
  { name: 'injection', level: 'semantic', run: checkInjection },
]

function checkSecrets({ value }: Subject): readonly CheckFinding[] {
  const found = findSecrets(value).map(({ rule, pointer }) => fail(`looks like a secret (${rule})`, pointer))
  return [...found, ...findRandomText(value).map((pointer) => warn('looks random; may be a secret', pointer))]
}

function checkRedactions({ record, value }: Subject): readonly CheckFinding[] {
  return record.redactions.flatMap(({ field, replacement }, index) => {
    const pointer = `/redactions/${index}`
    const found = resolvePointer(value, asPointer(field))
    if (found.kind === 'missing') return [warn(`"${quoted(field, 80)}" names no field`, pointer)]
    // A renamed member is found under its replacement.
    if (field.endsWith(`/${replacement}`)) return []
    const holds = typeof found.value === 'string' && found.value.includes(replacement)
    return holds ? [] : [warn('the field does not contain the replacement', pointer)]
  })
}

/** A JSON pointer as it is; `a[0].b` as `/a/0/b`. */
function asPointer(field: string): string {
  if (field.startsWith('/')) return field
  return pointerOf(
    field
      .slice(0, 1000)
      .replace(/\[(\d{1,9})\]/g, '.$1')
      .split('.')
      .filter((token) => token !== ''),
  )
}

const TRANSCRIPT_NAMES: ReadonlySet<string> = new Set([
  'transcript',
  'full_transcript',
  'messages',
  'conversation',
  'chat_history',
  'turns',
])

function checkTranscript({ value, transcripts }: Subject): readonly CheckFinding[] {
  const pointers = transcriptMembers(value)
  return pointers.map((pointer) =>
    transcripts === 'refuse'
      ? fail('a record must not hold a transcript', pointer)
      : warn('looks like a transcript', pointer),
  )
}

function transcriptMembers(root: unknown): string[] {
  const pointers: string[] = []
  const open: { readonly node: unknown; readonly pointer: string }[] = [{ node: root, pointer: '' }]
  for (const { node, pointer } of open) {
    if (Array.isArray(node)) {
      for (const [index, element] of node.entries())
        open.push({ node: element, pointer: childPointer(pointer, index) })
    } else if (isJsonObject(node)) {
      for (const [name, member] of Object.entries(node)) {
        const at = childPointer(pointer, name)
        if (TRANSCRIPT_NAMES.has(name)) pointers.push(at)
        open.push({ node: member, pointer: at })
      }
    }
  }
  return pointers
}

const SUSPICIONS = {
  invisible: 'contains invisible characters',
  instruction: 'reads like an instruction to the reader',
} as const

function checkInjection({ record }: Subject): CheckOutcome {
  return briefFields(record).flatMap(({ pointer, text }) => {
    const suspicion = suspicionOf(text)
    return suspicion ? [warn(SUSPICIONS[suspicion], pointer)] : []
  })
}
