import type { CallContext } from '../../../server/plugin.ts'
import { type DetectSignals, detect } from '../domain/detect.ts'
import { newestFirst } from '../domain/latest.ts'
import { qualityOf } from '../domain/quality.ts'
import type { Handoffs, Project } from '../project.ts'
import { sessionOf } from '../session.ts'

/** Weighs a session's signals with what this session has written already; writes nothing. */
export async function detectHandoff(
  handoffs: Handoffs,
  ctx: CallContext,
  project: Project,
  signals: DetectSignals,
) {
  const session = await sessionOf(ctx, handoffs, project)
  const { rows } = await project.index.view()
  const own = session === undefined ? [] : rows.filter((row) => row.session === session).sort(newestFirst)
  const [last] = own
  const draft = own.find(({ status }) => status === 'draft' || status === 'validated')
  const stored = draft && (await project.store.read(draft.id))
  const minutes = last && (handoffs.now().getTime() - last.updatedMs) / 60_000
  const detection = detect(signals, {
    ...(minutes !== undefined && { minutesSinceRecord: minutes }),
    ...(stored?.kind === 'record' && { draftQuality: qualityOf(stored.record, undefined).overall }),
  })
  // Kept in this process only: nothing is written, and a session lives in one process.
  if (session !== undefined) handoffs.detections.set(session, detection)
  return { root: project.root, ...detection, warnings: [] }
}
