import * as z from 'zod'
import { counted, defineTool, untrusted } from '../../../server/plugin.ts'
import { resolveId } from '../actions/find-record.ts'
import { DIRECTIONS, lineagePage } from '../domain/lineage-graph.ts'
import type { Handoffs } from '../project.ts'
import { answerFields, list, projectField, RECORD_IDS, recordLine, truncatedShape } from './shared-fields.ts'

/** Largest page; title and label of a record take at most a few hundred bytes. */
const MAX_NODES = 200

/** `handoff_lineage`: parents and children of records. */
export function lineageTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_lineage',
    title: 'Show handoff lineage',
    description:
      'Shows the parents and children of one record or all: nodes, edges from parent to child, roots, leaves, missing parents, cycles, and a Mermaid chart. Nearest records first; next_cursor reads on.',
    profile: 'full',
    input: () =>
      z.object({
        id: z.string().optional().describe('start here; default: every record'),
        direction: z.enum(DIRECTIONS).default('both').describe('parents, children or both'),
        depth: z.number().min(1).max(1000).default(50).describe('steps from the start'),
        limit: z.number().min(1).max(MAX_NODES).default(50).describe('page size'),
        cursor: z.string().optional().describe('next_cursor of the previous page'),
        project: projectField,
      }),
    output: () =>
      z.object({
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
        total: z.number().describe('records on all pages'),
        next_cursor: z.string().nullable(),
        truncated: truncatedShape.optional(),
        ...answerFields,
      }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    maxResultChars: 500_000,
    http: { method: 'GET', path: '/handoffs/lineage' },
    cli: {
      verb: 'handoff lineage',
      positional: ['[id]'],
      completes: { id: RECORD_IDS },
      print: chartOf,
    },
    example: {},
    async handler(ctx, input) {
      const project = await handoffs.project(ctx, input.project)
      const { rows } = await project.index.view()
      const id = input.id === undefined ? undefined : await resolveId(project, input.id)
      const { direction, depth, limit, cursor } = input
      const page = lineagePage(rows, { id, direction, depth, limit: Math.floor(limit), cursor })
      return { root: project.root, ...page, warnings: [] }
    },
    headline: ({ nodes, roots, leaves, total, next_cursor }) =>
      `${next_cursor === null && nodes.length === total ? counted(total, 'record') : `${nodes.length} of ${counted(total, 'record')}`}, ${counted(roots.length, 'root')}, ${counted(leaves.length, 'leaf', 'leaves')}`,
    omits: { '/mermaid': 'draws the nodes and edges' },
  })
}

/** The chart of a page, and how to see the next one. */
function chartOf(output: unknown): string {
  const { mermaid, next_cursor } = output as { mermaid: string; next_cursor: string | null } // this tool's own output
  return next_cursor === null ? mermaid : `${mermaid}\n%% next page: --cursor ${next_cursor}`
}
