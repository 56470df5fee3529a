import { isJsonObject } from '../platform/json-object.ts'
import { CutList, CutText } from './cut.ts'

/** A value that an answer quotes from a program, as a text writes it: `"true"` is not a flag, and `{}` is not `null`. */
export class Literal {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

/** Whether a page leaves something of the value to another one. */
export function isPartial(value: unknown): boolean {
  if (value instanceof CutText || value instanceof CutList) return true
  if (Array.isArray(value)) return value.some(isPartial)
  return isJsonObject(value) && Object.values(value).some(isPartial)
}
