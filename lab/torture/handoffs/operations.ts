import { createRecord } from '../../../plugins/handoff/actions/create-record.ts'
import { resumeRecord } from '../../../plugins/handoff/actions/resume-record.ts'
import { transitionRecord } from '../../../plugins/handoff/actions/transition-record.ts'
import { updateRecord } from '../../../plugins/handoff/actions/update-record.ts'
import type { Desk } from './stage.ts'

/** What an answered call says of the record that it wrote. */
export interface Answered {
  readonly id: string
  readonly etag: string
}

const OPTIONS = { captureGit: false, hashArtifacts: false, autoArtifacts: 'none', dryRun: false } as const
const RESUME_TOKENS = 500
const TITLE = 'Validate the OAuth callback'

/** A new record, or a child of `parent`. */
export async function create(
  { ctx, project }: Desk,
  state: string,
  more: { readonly parent?: string; readonly key?: string } = {},
): Promise<Answered> {
  const authored = {
    title: TITLE,
    objective: 'Reject replayed state parameters',
    current_state: state,
    definition_of_done: ['done'],
    open_items: [{ description: 'compare', suggested_action: 'in constant time' }],
  }
  return await createRecord(ctx, project, {
    authored,
    parent: more.parent ?? 'none',
    ...(more.parent !== undefined && { relation: 'continue' as const }),
    options: OPTIONS,
    idempotencyKey: more.key,
  })
}

/** One more completed step, as text. */
export async function append({ project }: Desk, id: string, entry: string): Promise<Answered> {
  const stored = await project.store.read(id)
  return await updateRecord(project, {
    id,
    ifMatch: stored?.etag ?? '',
    patch: undefined,
    append: { completed: [entry] },
  })
}

export async function move(
  { ctx, project }: Desk,
  id: string,
  to: 'validated' | 'ready' | 'archived',
): Promise<Answered> {
  return await transitionRecord(ctx, project, {
    id,
    to,
    from: undefined,
    ifMatch: undefined,
    reason: undefined,
    acceptWarnings: 'a crash test',
    clearFlags: [],
    nonce: undefined,
  })
}

/** Resumes a record and claims it. */
export async function resume({ ctx, project }: Desk, id: string, by: string): Promise<Answered> {
  return await resumeRecord(ctx, project, {
    id,
    maxTokens: RESUME_TOKENS,
    mark: true,
    claim: { by },
    withRecord: false,
  })
}
