import type { z } from 'zod'

/** Key of the schema annotation of a field that is listed in words. Keys of this prefix never reach a listed schema. */
export const IN_WORDS_KEY = 'x-satchel-in-words'

/**
 * Marks an optional field that MCP leaves out of the listed schema, because each listed field costs the model tokens: an
 * input field is named in the tool's description, a field of an output explains itself. Every door accepts or gives the
 * field; REST, the command line and the documents show it.
 */
export function inWords<T extends z.ZodType>(field: T): T {
  return field.meta({ ...field.meta(), [IN_WORDS_KEY]: true })
}
