import type { Validation } from '../domain/summary.ts'
import { sourceLine } from '../hcl/source-line.ts'

/** What a validation demands: its condition, or the message of its author where that is longer than `maxChars`. */
export function ruleText({ condition, error_message: message }: Validation, maxChars: number): string {
  const line = sourceLine(condition)
  return line === '' || (line.length > maxChars && message !== '') ? message : line
}
