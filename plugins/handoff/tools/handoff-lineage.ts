import { z } from 'zod'
import { defineTool, untrusted } from '../../../server/plugin.ts'
import { resolveId } from '../actions/find-record.ts'
import { DIRECTIONS, lineageGraph } from '../domain/lineage-graph.ts'
import type { Handoffs } from '../project.ts'
import { answerFields, digestOf, list, projectField, recordLine } from './shared-fields.ts'

/** `handoff_lineage`: which record goes on from which. */
export function lineageTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_lineage',
    title: 'Show handoff lineage',
    description:
      'Shows which records go on from which, around one or all: nodes, edges from parent to child, roots, leaves, missing parents, cycles, and a Mermaid chart.',
    profile: 'full',
    input: z.object({
      id: z.string().optional().describe('start here; absent: every record'),
      direction: z.enum(DIRECTIONS).default('both').describe('parents, children or both'),
      depth: z.number().min(1).max(1000).default(50).describe('steps from the start'),
      project: projectField,
    }),
    output: z.object({
      nodes: list(
        z.object({
          id: z.string(),
          title: recordLine,
          status: z.string(),
          relation: z.string(),
          branch_label: recordLine.nullable(),
        }),
      ),
      edges: list(z.object({ from: z.string(), to: z.string(), relation: z.string() })),
      roots: list(z.string()),
      leaves: list(z.string()),
      missing_parents: list(z.string()),
      cycles: list(list(z.string())),
      mermaid: untrusted('titles of handoff records'),
      ...answerFields,
    }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    maxResultChars: 500_000,
    http: { method: 'GET', path: '/handoffs/lineage' },
    cli: {
      verb: 'handoff lineage',
      positional: ['[id]'],
      print: (output) => (output as { mermaid: string }).mermaid,
    }, // its own output
    example: {},
    async handler(ctx, input) {
      const project = await handoffs.project(ctx, input.project)
      const { rows } = await project.index.view()
      const id = input.id === undefined ? undefined : await resolveId(project, input.id)
      return { root: project.root, ...lineageGraph(rows, id, input.direction, input.depth), warnings: [] }
    },
    digest: ({ nodes, roots, leaves, missing_parents, cycles }) =>
      digestOf([
        `${nodes.length} records, ${roots.length} roots, ${leaves.length} leaves`,
        leaves.length > 0 && `leaves: ${leaves.slice(0, 5).join(', ')}`,
        missing_parents.length > 0 && `missing parents: ${missing_parents.slice(0, 5).join(', ')}`,
        ...cycles.slice(0, 3).map((cycle) => `cycle: ${cycle.join(', ')}`.slice(0, 200)),
      ]),
  })
}
