import { z } from 'zod'
import { type CallContext, defineTool } from '../../../server/plugin.ts'
import { type DetectSignals, detect } from '../domain/detect.ts'
import { newestFirst } from '../domain/latest.ts'
import { qualityOf } from '../domain/quality.ts'
import { isEditable } from '../domain/record.ts'
import type { Handoffs, Project } from '../project.ts'
import { sessionOf } from '../session.ts'
import { answerFields, digestOf, list, projectField } from './shared-fields.ts'

const share = (what: string) => z.number().min(0).max(1).optional().describe(what)

/** `handoff_detect`: is it time for a handoff? */
export function detectTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_detect',
    title: 'Detect handoff need',
    description:
      'Says whether it is time to write a handoff, from signals of your session, each 0 to 1; leave out what you do not know. The next handoff_create of this session keeps score and reasons.',
    profile: 'full',
    input: z.object({
      context: share('share of the context window used'),
      turn: share('share of the turns used'),
      elapsed: share('share of the time used'),
      change: share('how much was changed'),
      stuck: share('how little moves on'),
      boundary: share('how complete the present step is'),
      request: z.boolean().optional().describe('somebody asked for one'),
      project: projectField,
    }),
    output: z.object({
      score: z.number(),
      reasons: list(z.string()),
      recommend: z.boolean(),
      prepare: z.boolean(),
      inputs_used: list(z.string()),
      ...answerFields,
    }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    http: { method: 'POST', path: '/handoffs/detect' },
    cli: { verb: 'handoff detect' },
    example: { context: 0.9 },
    async handler(ctx, { project: path, ...signals }) {
      return detectHandoff(handoffs, ctx, await handoffs.project(ctx, path), signals)
    },
    digest: ({ score, reasons, recommend, prepare }) =>
      digestOf([
        `score ${score}: ${recommend ? 'write a handoff now' : 'not yet'}${prepare ? ', the draft may be released' : ''}`,
        reasons.length > 0 && reasons.join(', '),
      ]),
  })
}

/** Weighs a session's signals with what this session has written already; writes nothing. */
async function detectHandoff(handoffs: Handoffs, ctx: CallContext, project: Project, signals: DetectSignals) {
  const session = await sessionOf(ctx, handoffs, project)
  const { rows } = await project.index.view()
  const own = session === undefined ? [] : rows.filter((row) => row.session === session).sort(newestFirst)
  const [last] = own
  const draft = own.find(isEditable)
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
