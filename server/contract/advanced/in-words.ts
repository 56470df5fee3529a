import type { z } from 'zod'

/** Key of the schema annotation of an input field that is listed in words. Keys of this prefix never reach a listed schema. */
export const IN_WORDS_KEY = 'x-satchel-in-words'

/**
 * An optional input field that the tool's description names in place of the schema that MCP lists: a model pays for
 * each listed field at every turn. It is accepted at every door; REST, the command line and the documents show it.
 */
export function inWords<T extends z.ZodType>(field: T): T {
  return field.meta({ ...field.meta(), [IN_WORDS_KEY]: true })
}
