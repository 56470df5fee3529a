import { z } from 'zod'

/** One violation of the schema of a record. */
export interface RecordError {
  readonly pointer: string
  readonly message: string
}

/**
 * Returns the zod schema of a durable record in a tool's output. The generated validator checks the record, and lists
 * show its own JSON Schema (zod would apply defaults, reorder keys and drop `__proto__`).
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
