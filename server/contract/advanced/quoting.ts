import type { z } from 'zod'

/** Key of the schema annotation of output in which foreign text may appear anywhere. */
export const QUOTING_KEY = 'x-satchel-quoting'

/**
 * Marks output that may contain text of another author anywhere, even in keys: names, types, defaults. The MCP door
 * cleans all of it and prints it inside the fence of the text; REST and the command line return it unchanged.
 */
export function quoting<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ [QUOTING_KEY]: true })
}
