import * as z from 'zod'
import { counted, defineTool } from '../../../server/plugin.ts'
import { REPAIR_OUTCOMES, repairStore } from '../actions/repair-store.ts'
import type { Handoffs } from '../project.ts'
import { answerFields, list, projectField } from './shared-fields.ts'

/** `handoff_repair`: repairs damaged records. */
export function repairTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_repair',
    title: 'Repair handoff store',
    description:
      'Repairs records with conflict markers of git: merges their parents. Keeps the bytes before in .local/damaged of the store. Leaves other damage and says why.',
    profile: 'full',
    input: () => z.object({ project: projectField }),
    output: () =>
      z.object({
        results: list(z.object({ path: z.string(), outcome: z.enum(REPAIR_OUTCOMES), detail: z.string() })),
        ...answerFields,
      }),
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    http: { method: 'POST', path: '/handoffs/repair' },
    cli: {
      verb: 'handoff repair',
      found: (output) =>
        // this tool's own output
        (output as { results: readonly { outcome: string }[] }).results.some(
          ({ outcome }) => outcome === 'left',
        ),
    },
    example: {},
    async handler(ctx, input) {
      const project = await handoffs.project(ctx, input.project)
      const results = await repairStore(project)
      const changed = results.filter(({ outcome }) => outcome !== 'left').map(({ path }) => path)
      const warnings =
        changed.length === 0 ? [] : [`For git they are resolved after: git add ${changed.join(' ')}`]
      return { root: project.root, results, warnings }
    },
    headline: ({ results }) => {
      if (results.length === 0) return 'Nothing to repair.'
      const left = results.filter(({ outcome }) => outcome === 'left').length
      return `${counted(results.length - left, 'record')} repaired, ${left} left unchanged.`
    },
  })
}
