import { z } from 'zod'

/** A file of the store that is no usable record. */
export const problemShape = z.object({
  path: z.string(),
  reason: z.string(),
  detail: z.string(),
  line: z.number().optional(),
  column: z.number().optional(),
})
