import { counted } from '../../../server/plugin.ts'
import { editText, type JsonEdit } from '../domain/json-edit.ts'
import { documentOf } from '../domain/json-text.ts'
import { lineageOf } from '../domain/new-record.ts'
import { type Artifact, HARNESSES, SCHEMA_VERSION } from '../domain/record.ts'
import type { RecordRow } from '../domain/record-row.ts'
import { redactDocument } from '../domain/text-redaction.ts'
import { fileFacts } from '../files/file-facts.ts'
import { type WorkDone, workSince } from '../git/commits.ts'
import { captureRepository } from '../git/repository.ts'
import type { Project } from '../project.ts'
import { continueFrom } from './continue-from.ts'
import type { HookCall, Noted } from './hook-session.ts'
import { repositoryMember } from './repository-member.ts'
import { changedArtifact, type Placement, withHash, writeRecord } from './write-record.ts'

const NOT_DESCRIBED = 'Captured automatically before compaction; not described yet.' // design handoff-store, section 3
/** Files of a skeleton; the rest is in git. */
const MAX_FILES = 200

/**
 * Before a compaction. A described record stays as its session wrote it: what changed since is told when it is read.
 * Where nothing is described, a skeleton keeps what is certain without asking: commits, files and the state of git.
 * It stays a draft until a session describes it.
 */
export async function captureSkeleton(call: HookCall, { names, beganAt }: Noted): Promise<void> {
  const { project } = call
  const row = await call.ask((table) => continueFrom(project, table, names))
  if (row && !row.skeleton) return
  const done = beganAt === undefined ? undefined : await workSince(project.git, beganAt, project.storePrefix)
  const isOwn = row !== undefined && row.session !== null && names.includes(row.session)
  if (isOwn) await refresh(call, row, done)
  else await writeSkeleton(call, done)
}

async function refresh({ project }: HookCall, { id }: RecordRow, done: WorkDone | undefined): Promise<void> {
  const git = await captureRepository(project.git, project.storePrefix)
  const edits: JsonEdit[] = [
    { op: 'set', pointer: '/updated_at', value: project.now().toISOString() },
    { op: 'set', pointer: '/summary/current_state', value: stateOf(done) },
    { op: 'set', pointer: '/summary/completed', value: commitsOf(done) },
  ]
  if (git.kind === 'repository') {
    const value = await repositoryMember(project, git)
    edits.push({ op: 'set', pointer: '/project/repository', value })
  }
  await project.store.update(id, undefined, async (current) => {
    if (current.kind === 'broken') return undefined
    const value = await artifactsNow(project, current.record.artifacts, filesOf(done))
    const text = editText(current.document, [...edits, { op: 'set', pointer: '/artifacts', value }])
    return redactDocument(documentOf(text)).text
  })
}

/** The files of a skeleton as they are now. One that the session made and took away again is none of them. */
async function artifactsNow(
  project: Project,
  known: readonly Artifact[],
  touched: readonly Readonly<Record<string, unknown>>[],
) {
  const named = new Set(touched.map(({ path }) => path))
  const others = known.filter(({ path }) => !named.has(path))
  const paths = [...others, ...touched].map(({ path }) => String(path))
  const facts = await fileFacts(project.root, paths, project.clock)
  const kept = others.filter(({ path }) => facts.get(path)?.kind !== 'missing')
  return [...kept, ...touched].map((artifact) => withHash({ ...artifact }, facts.get(String(artifact.path))))
}

async function writeSkeleton(
  { project, session, harness }: HookCall,
  done: WorkDone | undefined,
): Promise<void> {
  const placement: Placement = {
    lineage: lineageOf('root', undefined),
    inherited: undefined,
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
    title: 'Session before compaction',
    objective: 'Not described yet',
    current_state: stateOf(done),
    completed: commitsOf(done),
    artifacts: filesOf(done),
    trigger: 'pre_compaction',
  }
  const options = { captureGit: true, hashArtifacts: true, autoArtifacts: 'changed', dryRun: false } as const
  await writeRecord(project, authored, placement, options)
}

function stateOf(done: WorkDone | undefined): string {
  if (!done || done.commits.length + done.files.length === 0) return NOT_DESCRIBED
  const made = counted(done.commits.length, 'commit', 'commits')
  const touched = counted(done.files.length, 'file', 'files')
  return `${NOT_DESCRIBED} Since the session began: ${made}, ${touched} touched${done.stat ? ` (${done.stat})` : ''}.`
}

function commitsOf(done: WorkDone | undefined): string[] {
  return (done?.commits ?? []).map(({ id, subject }) => `${id} ${subject}`)
}

function filesOf(done: WorkDone | undefined) {
  return (done?.files ?? []).slice(0, MAX_FILES).map(changedArtifact)
}
