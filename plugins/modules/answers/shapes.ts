import * as z from 'zod'
import { inWords, quoting, untrusted } from '../../../server/plugin.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { counts } from '../output/module-index.ts'

/** Zod shapes that several tools answer with. */

const position = z.object({ file: z.string(), line: z.number().int() })

/** Marks a result that was cut: why, and the call that continues it. */
export const truncation = z.object({
  reason: z.string(),
  next: z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) }),
})

/** What identifies a module version in a list. */
export const moduleHead = z.object({
  id: z.string().describe('SHA-256 of repository:ref:path.'),
  repository: z.string(),
  name: z.string(),
  ref: z.string(),
  ref_kind: z.enum(['branch', 'tag']),
  path: z.string(),
  kind: z.enum(['root', 'submodule', 'example']),
  provider: z.string(),
})

export const versionRow = z.object({
  id: z.string(),
  ref: z.string(),
  ref_kind: z.enum(['branch', 'tag']),
  commit: z.string(),
  counts,
  latest: z.boolean(),
})

const diagnostic = z.object({
  severity: z.enum(['error', 'warning']),
  code: z.string(),
  message: z.string(),
  file: z.string().optional(),
  line: z.number().int().optional(),
})

const variable = z.looseObject({
  name: z.string(),
  type: z.string(),
  description: z.string(),
  default: z.unknown(),
  required: z.boolean(),
})
const output = z.looseObject({
  name: z.string(),
  description: z.string(),
  value: z.unknown(),
  sensitive: z.boolean(),
})
const provider = z.looseObject({ name: z.string(), source: z.string(), version: z.string() })
const moduleCall = z.looseObject({ name: z.string(), source: z.string(), version: z.string().nullable() })
const address = z.looseObject({ type: z.string(), name: z.string(), position: position.optional() })

/** A whole summary (spec module-ingestion "Module summary" and modules design 4). */
export const summaryShape = z.looseObject({
  repository: z.string(),
  ref: z.string(),
  path: z.string(),
  description: untrusted('description of the module'),
  variables: z.array(variable),
  outputs: z.array(output),
  providers: z.array(provider),
  modules: z.array(moduleCall),
  readme_content: untrusted('README of the module'),
  schema: z.string(),
  name: z.string(),
  kind: z.string(),
  ref_kind: z.string(),
  commit: z.string(),
})

/** A summary as an answer: only `readonly` is lost, which JSON does not know. */
export function asShape(summary: ModuleSummary): z.input<typeof summaryShape> {
  return summary as unknown as z.input<typeof summaryShape> // the same fields, declared once as types and once as zod
}

/** What `get_module` shows of a summary: any part of it. Outputs come first, because all of them fit on a page. */
export const partialSummary = quoting(
  z.looseObject({
    description: untrusted('description of the module').optional(),
    providers: z.array(provider).optional(),
    outputs: z.array(z.looseObject({ name: z.string() })).optional(),
    variables: z.array(z.looseObject({ name: z.string() })).optional(),
    modules: z.array(moduleCall).optional(),
    readme_content: untrusted('README of the module').optional(),
    resources: z.array(address).optional(),
    diagnostics: z.array(diagnostic).optional(),
  }),
)

const place = { repository: z.string(), ref: z.string().optional(), path: z.string().optional() }
export const failureRow = z.object({
  ...place,
  code: z.string(),
  reason: z.string(),
  message: z.string(),
})
const warningRow = z.object({ ...place, code: z.string(), message: z.string() })

/** What a run did (modules design 7). */
export const reportShape = z.object({
  repositories: z.number().int(),
  refs: z.object({
    processed: z.number().int(),
    unchanged: z.number().int(),
    empty: z.number().int(),
    failed: z.number().int(),
  }),
  modules: z.number().int(),
  failures: z.array(failureRow),
  warnings: z.array(warningRow),
  written: z.number().int(),
  pruned: z.array(z.object({ repository: z.string(), ref: z.string(), path: z.string() })),
  vectors: z
    .object({ strategy: z.string(), upserted: z.number().int(), unchanged: z.number().int() })
    .nullable(),
  reference_reads: z.number().int(),
  output_dir: z.string(),
  duration_ms: z.number(),
})

/** The next step where there is no module at all. */
export const NOTHING_INGESTED = 'Nothing has been ingested yet. Run `satchel ingest`, or call ingest_modules.'

/** Set for a module that the newest release of its repository no longer has. */
export const removedSinceField = z.string().optional()

/** How a caller names one module version. */
export const moduleNameFields = {
  id: z.string().max(2048).optional().describe('From a search; 8 digits will do.'),
  repository: z.string().max(2048).optional().describe('Or URL or name.'),
  ref: z.string().max(255).optional().describe('Absent: latest.'),
  path: z.string().max(1024).optional().describe('Absent: root.'),
}

export const outputDirField = inWords(z.string().max(4096).optional().describe('Absent: as configured.'))

/** In an answer while an ingest runs, and after one that could not read everything. */
export const partialField = inWords(
  z
    .object({
      state: z.enum(['running', 'interrupted', 'failed']),
      repositories: z.number().int(),
      read: z.number().int().describe('Repositories of which there is something.'),
      failures: z.number().int(),
      missing: z
        .array(
          z.object({
            repository: z.string(),
            ref: z.string().optional(),
            path: z.string().optional(),
            why: z.string().describe('waiting, or the reason of the failure.'),
          }),
        )
        .describe('At most 10.'),
      next: z.string(),
    })
    .optional()
    .describe('What is missing while an ingest runs, or because the last one failed in part.'),
)

const MODULE_URI = 'module://{repository}/{ref}/{path}'
/** A shell completes an argument that is a module with the names of those that were ingested, */
export const MODULE_NAMES = { resource: MODULE_URI, variable: 'repository' } as const
/** and one that is a version with their refs. */
export const MODULE_REFS = { resource: MODULE_URI, variable: 'ref' } as const
