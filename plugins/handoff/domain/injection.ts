/** Text that tries to give orders to whoever reads it, or that a reader cannot see. */

/** Bidi controls, zero-width and other invisible characters, tag characters, control characters but tab and line ends. */
const INVISIBLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e0fff}]/u

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
  if (INVISIBLE.test(text)) return 'invisible'
  const start = text.slice(0, 16_384)
  return INSTRUCTIONS.some((pattern) => pattern.test(start)) ? 'instruction' : undefined
}
