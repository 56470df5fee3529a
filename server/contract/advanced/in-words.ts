import type { z } from 'zod'

/** Key of the schema annotation of an input field that is listed in words. Keys of this prefix never reach a listed schema. */
export const IN_WORDS_KEY = 'x-satchel-in-words'

/**
 * Marks an optional input field that MCP lists in the tool's description instead of the schema, because each listed
 * field costs the model tokens. Every door accepts the field; REST, the command line and the documents show it.
 */
export function inWords<T extends z.ZodType>(field: T): T {
  return field.meta({ ...field.meta(), [IN_WORDS_KEY]: true })
}
