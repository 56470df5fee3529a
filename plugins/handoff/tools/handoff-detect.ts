import * as z from 'zod'
import { type CallContext, defineTool } from '../../../server/plugin.ts'
import { type DetectSignals, detect } from '../domain/detect.ts'
import { newestFirst } from '../domain/latest.ts'
import { qualityOf } from '../domain/quality.ts'
import { isEditable } from '../domain/record.ts'
import type { Handoffs, Project } from '../project.ts'
import { sessionOf } from '../session.ts'
import { answerFields, list, projectField } from './shared-fields.ts'

const share = (what: string) => z.number().min(0).max(1).optional().describe(what)

/** `handoff_detect`: tells whether to write a handoff. */
export function detectTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_detect',
    title: 'Detect handoff need',
    description:
      'Tells whether to write a handoff now, from signals of your session, each 0 to 1; omit unknown ones. The next handoff_create of this session records score and reasons.',
    profile: 'full',
    input: () =>
      z.object({
        context: share('share of the context window used'),
        turn: share('share of the turns used'),
        elapsed: share('share of the time used'),
        change: share('amount of change'),
        stuck: share('lack of progress'),
        boundary: share('completeness of the current step'),
        request: z.boolean().optional().describe('a handoff was requested'),
        project: projectField,
      }),
    output: () =>
      z.object({
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
    headline: ({ score, recommend, prepare }) =>
      `score ${score}: ${recommend ? 'write a handoff now' : 'not yet'}${prepare ? ', the draft may be released' : ''}`,
  })
}

/** Weighs a session's signals with what this session has written already; writes nothing. */
async function detectHandoff(handoffs: Handoffs, ctx: CallContext, project: Project, signals: DetectSignals) {
  const session = await sessionOf(ctx, project)
  const rows =
    session === undefined
      ? []
      : await project.index.ask((table) => table.load(table.withValue('session', session)))
  const own = rows.filter((row) => row.session === session).toSorted(newestFirst)
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
