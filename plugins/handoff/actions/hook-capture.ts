import { editText, type JsonEdit } from '../domain/json-edit.ts'
import { lineageOf } from '../domain/new-record.ts'
import { HARNESSES, type Handoff, SCHEMA_VERSION } from '../domain/record.ts'
import { afterUpdate } from '../domain/record-update.ts'
import { fileFacts } from '../files/file-facts.ts'
import { captureRepository } from '../git/repository.ts'
import type { BrokenRecord, StoredRecord } from '../store/read-record.ts'
import { claimedBy } from './create-record.ts'
import { draftOf, type HookCall } from './hook-session.ts'
import { type Placement, writeRecord } from './write-record.ts'

const NOT_DESCRIBED = 'Captured automatically before compaction; not described yet.' // design handoff-store, section 3

/**
 * Before a compaction: updates this session's draft from git and its files; without a draft, writes a skeleton. It
 * stays a draft until a session changes its status.
 */
export async function captureSkeleton(call: HookCall): Promise<void> {
  const { project, session } = call
  const rows = await call.rows()
  const draft = draftOf(rows, session)
  if (draft) {
    const edits = await refreshEdits(call, await project.store.read(draft.id))
    if (edits.length === 0) return
    await project.store.update(draft.id, undefined, (current) =>
      current.kind === 'broken'
        ? undefined
        : editText(current.document, [...edits, ...freshTime(call, current.record)]),
    )
    return
  }
  const claimed = session === undefined ? undefined : claimedBy(rows, session, project.now().getTime())
  const parent = claimed && (await project.store.read(claimed.id))
  await writeSkeleton(call, parent?.kind === 'record' ? parent.record : undefined)
}

/** Updates time and status, but keeps the skeleton mark until a session describes the draft. */
function freshTime({ project }: HookCall, record: Handoff): JsonEdit[] {
  return afterUpdate(record, project.now().toISOString()).filter(
    ({ pointer }) => pointer !== '/x_satchel/skeleton',
  )
}

/** Edits for the facts of git and files that differ from the draft. */
async function refreshEdits(
  { project }: HookCall,
  stored: StoredRecord | BrokenRecord | undefined,
): Promise<JsonEdit[]> {
  if (stored?.kind !== 'record') return []
  const { record } = stored
  const git = await captureRepository(project.git, project.storePrefix)
  const edits: JsonEdit[] = []
  const known = record.project.repository
  if (git.kind === 'repository' && (known?.head !== git.head || known.dirty !== git.dirty)) {
    const { head, dirty, remote, branch } = git
    edits.push({
      op: 'set',
      pointer: '/project/repository',
      value: { vcs: 'git', remote_hint: remote, head, dirty, branch },
    })
  }
  const facts = await fileFacts(
    project.root,
    record.artifacts.map(({ path }) => path),
    project.clock,
  )
  for (const [index, artifact] of record.artifacts.entries()) {
    const fact = facts.get(artifact.path)
    if (fact?.kind !== 'file' || fact.sha256 === undefined || fact.sha256 === artifact.content_hash) continue
    edits.push({ op: 'set', pointer: `/artifacts/${index}/content_hash`, value: fact.sha256 })
  }
  return edits
}

async function writeSkeleton(
  { project, session, harness }: HookCall,
  parent: Handoff | undefined,
): Promise<void> {
  const placement: Placement = {
    lineage: lineageOf('continue', parent?.id),
    inherited: parent,
    origin: {
      harness: HARNESSES.find((known) => known === harness) ?? 'generic',
      adapter_version: SCHEMA_VERSION,
      session_id: session ?? null,
      model: null,
      actor: null,
    },
    automation: { score: null, reasons: [] },
    session,
    idempotencyKey: undefined,
    skeleton: true,
  }
  const authored = {
    current_state: NOT_DESCRIBED,
    trigger: 'pre_compaction',
    ...(!parent && { title: 'Session before compaction', objective: 'Not described yet' }),
  }
  const options = { captureGit: true, hashArtifacts: true, autoArtifacts: 'changed', dryRun: false } as const
  await writeRecord(project, authored, placement, options)
}
