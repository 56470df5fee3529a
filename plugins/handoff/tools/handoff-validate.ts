import * as z from 'zod'
import { counted, defineTool, inWords, type TypedFiles } from '../../../server/plugin.ts'
import { type Candidate, validateRecord } from '../actions/validate-record.ts'
import { LEVELS } from '../domain/checks/validation.ts'
import type { Handoffs } from '../project.ts'
import { refusals } from '../reasons.ts'
import { answerFields, ID_FORMS, list, projectField, validationShape } from './shared-fields.ts'

const input = () =>
  z.object({
    record: z.unknown().optional().describe('any JSON, or its text'),
    id: z.string().optional().describe(`or a stored one: ${ID_FORMS}`),
    path: z.string().optional().describe('or a file in the project'),
    markdown: inWords(z.string().optional().describe('or exported text')),
    level: inWords(z.enum(LEVELS).default('all').describe('which checks run')),
    strict: inWords(z.boolean().default(false).describe('treat warnings as failures')),
    project: projectField,
  })

/** `handoff_validate`: schema and check results of a record; writes nothing. */
export function validateTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_validate',
    title: 'Validate handoff',
    description:
      'Checks a handoff record and writes nothing: schema_valid with each error at a JSON pointer; validation of references, lineage, secrets, files, git and usefulness; can_ready. An invalid record is an answer, not an error. Also takes markdown (an exported text), level (schema, semantic, repo), strict (a warning fails).',
    profile: 'core',
    input,
    output: () =>
      z.object({
        schema_valid: z.boolean(),
        errors: list(
          z.object({
            pointer: z.string(),
            keyword: z.string(),
            message: z.string(),
            expected: list(z.string()),
            actual: z.string(),
            suggestion: z.string().optional(),
          }),
        ),
        errors_total: z.number(),
        validation: validationShape,
        can_ready: z.boolean(),
        ready_blockers: list(z.string()),
        quality: z.object({ overall: z.number(), dimensions: z.record(z.string(), z.number()) }),
        counts: z.record(z.string(), z.number()),
        ...answerFields,
      }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    maxResultChars: 100_000,
    http: { method: 'POST', path: '/handoffs/validate' },
    cli: {
      verb: 'handoff validate',
      positional: ['[source]'],
      arguments: { source: 'a file, an id, or - for standard input' },
      standsFor: { source: 'id' },
      arrange: sourceOf,
      example: 'satchel handoff validate latest',
      found: (output) => {
        const { schema_valid, validation } = output as {
          schema_valid: boolean
          validation: { status: string }
        } // this tool's own output
        return !schema_valid || validation.status === 'fail'
      },
    },
    example: { record: { kind: 'handoff' } },
    async handler(ctx, given) {
      const project = await handoffs.project(ctx, given.project)
      const verdict = await validateRecord(ctx, project, {
        candidate: candidateOf(given),
        level: given.level,
        strict: given.strict,
      })
      return { root: project.root, warnings: [], ...verdict }
    },
    headline: ({ schema_valid, errors_total, validation, can_ready, quality }) =>
      `schema: ${schema_valid ? 'valid' : counted(errors_total, 'error')}; checks: ${validation.status}; quality ${quality.overall} of 100; ${can_ready ? 'can' : 'cannot'} become ready`,
  })
}

/** `record: null` is a record to check; only an absent member is none. */
function candidateOf(given: z.output<ReturnType<typeof input>>): Candidate {
  const candidates: Candidate[] = []
  if (Object.hasOwn(given, 'record') && given.record !== undefined)
    candidates.push({ kind: 'value', value: given.record })
  if (given.id !== undefined) candidates.push({ kind: 'id', id: given.id })
  if (given.path !== undefined) candidates.push({ kind: 'path', path: given.path })
  if (given.markdown !== undefined) candidates.push({ kind: 'markdown', text: given.markdown })
  const [candidate] = candidates
  if (candidate && candidates.length === 1) return candidate
  const names = 'record, id, path and markdown'
  throw refusals.one_argument({ names }, { errors: [{ pointer: '', message: `exactly one of ${names}` }] })
}

/** `FILE|-|ID`: an existing file, else an id; standard input by default. */
async function sourceOf(typed: Readonly<Record<string, unknown>>, files: TypedFiles) {
  const { source, ...input } = typed
  if (input['record'] !== undefined || input['id'] !== undefined || input['path'] !== undefined) return input
  const named = typeof source === 'string' ? source : '-'
  if (named === '-') return { ...input, record: await files.readText('-') }
  const isFile = /[./\\]/.test(named) || (await files.exists(named))
  return isFile ? { ...input, path: named } : { ...input, id: named }
}
