import { valueAt } from './config-edits.ts'
import type { ConfigFormat } from './config-format.ts'

/** A file that is satchel's as a whole, such as a skill: its value is its text. */
export const wholeFormat: ConfigFormat = {
  read: (text) => (text === '' ? undefined : { whole: { text } }),
  put: (_text, _place, value) => String(valueAt(value, ['text'])),
  take: () => '',
}
