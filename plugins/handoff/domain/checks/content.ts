import { hasHidden, isJsonObject, type Pieces } from '../../../../server/plugin.ts'
import { briefFields } from '../brief-fields.ts'
import { childPointer, pointerOf, resolvePointer } from '../json-pointer.ts'
import { findingRandomText, findingSecrets, quoted } from '../secrets.ts'
import { type CheckFinding, type CheckOutcome, type CheckRule, fail, type Subject, warn } from './check.ts'

/** Checks of the texts: secrets, redactions, transcripts, instructions to the reader. */
export const CONTENT_CHECKS: readonly CheckRule[] = [
  { name: 'secrets', level: 'semantic', run: checkSecrets },
  { name: 'redactions', level: 'semantic', run: checkRedactions },
  { name: 'transcript', level: 'semantic', run: checkTranscript },
  { name: 'injection', level: 'semantic', run: checkInjection },
]

function* checkSecrets({ value }: Subject): Pieces<readonly CheckFinding[]> {
  const secrets = yield* findingSecrets(value)
  const random = yield* findingRandomText(value)
  return [
    ...secrets.map(({ rule, pointer }) => fail(`looks like a secret (${rule})`, pointer)),
    ...random.map((pointer) => warn('looks random; may be a secret', pointer)),
  ]
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

/** Text that tries to instruct its reader. */
const INSTRUCTIONS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|your)\b.{0,40}\b(?:instructions?|rules?|prompts?|directions?|guidelines?)\b/i,
  /\byou are now\b.{0,60}\b(?:assistant|agent|model|mode|admin|root|developer)\b/i,
  /\b(?:new|updated|real) (?:system )?(?:instructions?|prompt)\s*:/i,
  /<\/?(?:system|assistant|user|instructions?|tool_call|function_call)\b[^>]{0,40}>/i,
  /\[\/?(?:INST|SYSTEM)\]|<\|(?:im_start|im_end|system|endoftext)/i,
  /\b(?:do not|don't|never) (?:tell|inform|mention|reveal|show)\b.{0,40}\b(?:user|human|operator)\b/i,
  /\b(?:reveal|print|send|exfiltrate|upload|post)\b.{0,40}\b(?:system prompt|api keys?|credentials|secrets?|passwords?|tokens?)\b/i,
  /\b(?:curl|wget)\b[^\n]{0,120}\|\s*(?:ba|z)?sh\b/i,
]

type Suspicion = 'invisible' | 'instruction'

/** Why a text is suspicious, if it is. */
function suspicionOf(text: string): Suspicion | undefined {
  if (hasHidden(text.replaceAll('\r', ''))) return 'invisible'
  const start = text.slice(0, 16_384)
  return INSTRUCTIONS.some((pattern) => pattern.test(start)) ? 'instruction' : undefined
}
