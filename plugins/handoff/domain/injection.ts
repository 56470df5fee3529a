import { hasHidden } from '../../../server/plugin.ts'

/** Text that tries to instruct its reader, or that is invisible. */

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

export type Suspicion = 'invisible' | 'instruction'

/** Why a text is suspicious, if it is. */
export function suspicionOf(text: string): Suspicion | undefined {
  if (hasHidden(text.replaceAll('\r', ''))) return 'invisible'
  const start = text.slice(0, 16_384)
  return INSTRUCTIONS.some((pattern) => pattern.test(start)) ? 'instruction' : undefined
}
