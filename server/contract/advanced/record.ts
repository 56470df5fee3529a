import { z } from 'zod'

/** One way in which a value breaks a record's schema. */
export interface RecordError {
  readonly pointer: string
  readonly message: string
}

/**
 * A record that outlives the process, as plain JSON inside a tool's output: checked by its own generated
 * validator and listed with its real JSON Schema (zod would apply defaults, reorder keys and drop `__proto__`).
 */
export function record<T>(
  schema: Readonly<Record<string, unknown>>,
  validate: (value: unknown) => readonly RecordError[],
): z.ZodType<T, T> {
  const checked = z
    .unknown()
    .superRefine((value, issues) => {
      for (const error of validate(value)) {
        issues.addIssue({ code: 'custom', message: error.message, path: pointerPath(error.pointer) })
      }
    })
    .meta(schema)
  return checked as unknown as z.ZodType<T, T> // the validator above is what proves T
}

function pointerPath(pointer: string): string[] {
  if (pointer === '') return []
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}
