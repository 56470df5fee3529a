import * as z from 'zod'

/** How long a claim may last, in seconds (design handoff, section 5). */
export const claimSeconds = z.number().min(60).max(86_400)

/** The section `handoff` of the configuration file (surface, section 5). */
export const handoffConfig = z.strictObject({
  store: z
    .string()
    .min(1)
    .default('.handoffs')
    .describe('folder of the records, relative to the project root'),
  project: z
    .string()
    .min(1)
    .max(200)
    .nullable()
    .default(null)
    .describe(
      'name of this project in the database of storage.url; null: the id in config.json of the store, else the root commit',
    ),
  inject_on: z
    .array(z.enum(['startup', 'resume', 'clear', 'compact', 'fork']))
    .default(['resume', 'compact'])
    .describe('session starts at which the hook prints the brief'),
  transcripts: z
    .enum(['warn', 'refuse'])
    .default('warn')
    .describe('what a member that looks like a transcript does to validation'),
  claim_ttl_s: claimSeconds.int().default(3600).describe('how long a resume claims a record, in seconds'),
})

export type HandoffConfig = z.output<typeof handoffConfig>
