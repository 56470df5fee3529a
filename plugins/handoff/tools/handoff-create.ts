import * as z from 'zod'
import { defineTool, inWords } from '../../../server/plugin.ts'
import { createRecord } from '../actions/create-record.ts'
import type { Handoffs } from '../project.ts'
import { authoredFields, authoredOf } from './authored-fields.ts'
import {
  answerFields,
  list,
  nextShape,
  projectField,
  redactionShape,
  validationShape,
} from './shared-fields.ts'

/** Answer of the tools that create a record. */
export const createdOutput = () =>
  z.object({
    id: z.string(),
    uri: z.string(),
    path: z.string().nullable().describe('relative to root; null: nothing was written'),
    status: z.string(),
    etag: z.string(),
    assigned_ids: z.record(z.string(), z.string()).describe('item label -> stored id'),
    redactions: list(redactionShape),
    validation: validationShape,
    next: nextShape.optional(),
    repeated: z.literal(true).optional().describe('this idempotency_key was used before'),
    ...answerFields,
  })

/** The answer with the call to make next, if a record was written. */
export function withNext<T extends { readonly id: string; readonly path: string | null }>(created: T) {
  if (created.path === null) return created
  return { ...created, next: { tool: 'handoff_validate', args: { id: created.id } } }
}

/** The headline of a created record. */
export function createdHeadline({
  id,
  path,
  status,
  repeated,
}: z.output<ReturnType<typeof createdOutput>>): string {
  if (repeated)
    return `This idempotency_key was used before: ${status} ${id} is the record of the first call.`
  return path === null ? `Would write ${id}; nothing was written.` : `Wrote ${status} ${id}.`
}

/** What the text of a created record leaves out. */
export const CREATED_OMITS = { '/uri': 'holds the id' } as const

/** `handoff_create`: a new record of the work so far. */
export function createTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_create',
    title: 'Create handoff',
    description:
      'Writes a draft record of the work so far: before context runs out, at a milestone. Captures git facts and file hashes, redacts secrets. Item ids are labels. Also takes closes (a list), why_it_matters, trigger, extra, idempotency_key, dry_run, auto_artifacts: changed, capture_git and hash_artifacts: false. Returns id, etag.',
    profile: 'core',
    input: () =>
      z.object({
        title: z.string().describe('one line'),
        objective: z.string().describe('what to achieve'),
        current_state: z.string().describe('state of the work'),
        ...authoredFields,
        parent: z.string().optional().describe('id, or none; default: the record that was resumed'),
        trigger: inWords(z.string().optional().describe('manual (default), threshold, hook, timeout')),
        extra: inWords(z.looseObject({}).optional().describe('further members of the record')),
        capture_git: inWords(z.boolean().default(true).describe('capture head and branch')),
        hash_artifacts: inWords(z.boolean().default(true).describe('hash the files')),
        auto_artifacts: inWords(
          z.enum(['none', 'changed']).optional().describe('changed: every file git reports as changed'),
        ),
        dry_run: inWords(z.boolean().optional().describe('answer without writing')),
        idempotency_key: inWords(
          z.string().optional().describe('the same call again gives the first record'),
        ),
        project: projectField,
      }),
    output: createdOutput,
    annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    http: { method: 'POST', path: '/handoffs', etag: 'etag' },
    cli: { verb: 'handoff create' },
    example: {
      title: 'Validate the OAuth callback',
      objective: 'Reject replayed state parameters',
      current_state: 'The comparison helper works; one fixture remains.',
      open_items: [
        {
          priority: 'high',
          description: 'Add a duplicate-callback fixture',
          suggested_action: 'Create the fixture, run the suite',
        },
      ],
    },
    async handler(ctx, input) {
      const project = await handoffs.project(ctx, input.project)
      const created = await createRecord(ctx, project, {
        authored: authoredOf(input),
        parent: input.parent,
        options: {
          captureGit: input.capture_git,
          hashArtifacts: input.hash_artifacts,
          autoArtifacts: input.auto_artifacts ?? 'none',
          dryRun: input.dry_run ?? false,
        },
        idempotencyKey: input.idempotency_key,
      })
      return withNext(created)
    },
    headline: createdHeadline,
    omits: CREATED_OMITS,
  })
}
