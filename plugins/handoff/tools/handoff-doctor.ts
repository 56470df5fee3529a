import { z } from 'zod'
import { defineTool } from '../../../server/plugin.ts'
import { examineStore } from '../actions/doctor.ts'
import type { Handoffs } from '../project.ts'
import { answerFields, digestOf, list, projectField } from './shared-fields.ts'

/** `handoff_doctor`: what is wrong with a store. */
export function doctorTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_doctor',
    title: 'Examine handoff store',
    description:
      'Looks for damaged records, leftovers of interrupted writes, missing parents, cycles and wrong states in the store. Reads only; each problem says what to do.',
    profile: 'full',
    input: z.object({ project: projectField }),
    output: z.object({
      problems: list(z.object({ kind: z.string(), path: z.string(), detail: z.string(), next: z.string() })),
      ...answerFields,
    }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    http: { method: 'GET', path: '/handoffs/doctor' },
    cli: {
      verb: 'handoff doctor',
      found: (output) => (output as { problems: readonly unknown[] }).problems.length > 0, // this tool's own output
    },
    example: {},
    async handler(ctx, input) {
      const project = await handoffs.project(ctx, input.project)
      const problems = await examineStore(project, handoffs.now().getTime(), handoffs.clock())
      return { root: project.root, problems, warnings: [] }
    },
    digest: ({ problems }) =>
      digestOf([
        problems.length === 0 ? 'The store is sound.' : `${problems.length} problems`,
        ...problems.slice(0, 8).map(({ kind, path, detail }) => `${kind} ${path}: ${detail}`.slice(0, 140)),
      ]),
  })
}
