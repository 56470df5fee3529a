import * as z from 'zod'
import { counted, defineTool } from '../../../server/plugin.ts'
import { examineStore, NO_STORE } from '../actions/doctor.ts'
import { filesNotice } from '../actions/records-in-files.ts'
import { PROBLEM_KINDS, problemPage } from '../domain/problem-page.ts'
import type { Handoffs } from '../project.ts'
import { answerFields, list, projectField } from './shared-fields.ts'

const MAX_PROBLEMS = 200

/** `handoff_doctor`: problems of a store. */
export function doctorTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_doctor',
    title: 'Check handoff store',
    description:
      'Finds damaged records, leftovers of interrupted writes, missing parents, cycles, wrong statuses. Reads only; each problem names a remedy. next_cursor reads on.',
    profile: 'full',
    input: () =>
      z.object({
        limit: z.number().min(1).max(MAX_PROBLEMS).default(50).describe('page size'),
        cursor: z.string().optional().describe('next_cursor of the previous page'),
        project: projectField,
      }),
    output: () =>
      z.object({
        problems: list(
          z.object({ kind: z.enum(PROBLEM_KINDS), path: z.string(), detail: z.string(), next: z.string() }),
        ),
        total: z.number().describe('problems on all pages'),
        next_cursor: z.string().nullable(),
        ...answerFields,
      }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    http: { method: 'GET', path: '/handoffs/doctor' },
    cli: {
      verb: 'handoff doctor',
      instead: {
        fix: {
          tool: 'handoff_repair',
          description: 'repair records with conflict markers from their parents',
        },
      },
      found: (output) => (output as { total: number }).total > 0, // this tool's own output
    },
    example: {},
    async handler(ctx, input) {
      const project = await handoffs.project(ctx, input.project)
      const problems = await examineStore(project, handoffs.now().getTime(), handoffs.clock())
      const page = problemPage(problems, { limit: Math.floor(input.limit), cursor: input.cursor })
      const inFiles = await filesNotice(project)
      const hasStore = page.total > 0 || inFiles.length > 0 || (await project.store.exists())
      return { root: project.root, ...page, warnings: hasStore ? inFiles : [NO_STORE] }
    },
    headline: ({ problems, total, warnings }) =>
      total === 0
        ? warnings.includes(NO_STORE)
          ? 'No handoff store exists yet.'
          : 'No problems found.'
        : `${counted(total, 'problem')}${problems.length < total ? `, ${problems.length} on this page` : ''}`,
  })
}
