import * as z from 'zod'
import { counted, defineTool, inWords } from '../../../server/plugin.ts'
import { resolveId } from '../actions/find-record.ts'
import { filesNotice } from '../actions/records-in-files.ts'
import { SORTS } from '../domain/list-order.ts'
import { FLAGS, HARNESSES, RELATIONS, STATUSES } from '../domain/record.ts'
import { shortId } from '../domain/record-id.ts'
import { listRecords } from '../domain/record-list.ts'
import type { Handoffs } from '../project.ts'
import type { Problem } from '../store/read-record.ts'
import {
  answerFields,
  list,
  oneOf,
  problemShape,
  projectField,
  recordLine,
  truncatedShape,
} from './shared-fields.ts'

/** Damaged files that a list names; `handoff_doctor` lists all. */
const MAX_DAMAGED = 20

const listOutput = () =>
  z.object({
    items: list(
      z.object({
        id: z.string(),
        uri: z.string(),
        title: recordLine,
        status: z.enum(STATUSES),
        flags: list(z.enum(FLAGS)),
        updated_at: z.string(),
        relation: z.enum(RELATIONS),
        parents: list(z.string()),
        open_high: z.number(),
        next_action: recordLine.nullable(),
        score: z.number().optional(),
        snippet: recordLine.optional(),
      }),
    ),
    next_cursor: z.string().nullable(),
    total: z.number(),
    problems: list(problemShape),
    truncated: truncatedShape.optional(),
    ...answerFields,
  })

/** `handoff_list`: lists and searches records. */
export function listTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_list',
    title: 'List and search handoffs',
    description:
      'Lists records, newest first, or searches them. query takes words, "phrase", -not, pre*, field:word. Also filters by flags, relation, harness, project_id, actor, since, until, parent, leaf_only; sort. problems names damaged files.',
    profile: 'core',
    input: () =>
      z.object({
        query: z.string().optional().describe('all of these words'),
        status: z.array(z.string()).optional().describe('any of these'),
        flags: inWords(z.array(z.string()).optional().describe('any of invalid, conflicted')),
        relation: inWords(z.string().optional().describe('such as fork')),
        harness: inWords(z.string().optional().describe('harness of the writer, such as codex')),
        project_id: inWords(z.string().optional().describe('id of the project')),
        actor: inWords(z.string().optional().describe('name of the writer')),
        since: inWords(z.string().optional().describe('updated at this time or later')),
        until: inWords(z.string().optional().describe('updated at this time or earlier')),
        parent: inWords(z.string().optional().describe('children of this record')),
        leaf_only: inWords(z.boolean().optional().describe('only records without children')),
        sort: inWords(z.enum(SORTS).optional().describe('order of the list')),
        limit: z.number().min(1).max(100).default(20).describe('page size'),
        cursor: z.string().optional().describe('next_cursor of the previous page'),
        project: projectField,
      }),
    output: listOutput,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    maxResultChars: 100_000,
    http: { method: 'GET', path: '/handoffs' },
    cli: [
      { verb: 'handoff list', view: viewOf },
      { verb: 'handoff search', positional: ['query'], view: viewOf },
    ],
    example: { query: 'callback', limit: 5 },
    async handler(ctx, { project: path, limit, ...input }) {
      const project = await handoffs.project(ctx, path)
      const parent = input.parent === undefined ? undefined : await resolveId(project, input.parent)
      const request = {
        ...input,
        status: input.status?.map((given) => oneOf('status', given, STATUSES)),
        flags: input.flags?.map((given) => oneOf('flags', given, FLAGS)),
        relation: input.relation === undefined ? undefined : oneOf('relation', input.relation, RELATIONS),
        harness: input.harness === undefined ? undefined : oneOf('harness', input.harness, HARNESSES),
        parent,
        limit: Math.floor(limit),
      }
      const inFiles = await filesNotice(project)
      return project.index.ask(async (table) => {
        const { warnings, ...listed } = await listRecords(table, request)
        const problems = firstOf(await table.problems())
        return { root: project.root, ...listed, ...problems, warnings: [...warnings, ...inFiles] }
      })
    },
    headline: ({ items, total, next_cursor }) =>
      `${counted(total, 'record')}${next_cursor === null ? '' : `, ${items.length} shown`}`,
    omits: { '/items/*/uri': 'holds the id' },
  })
}

function firstOf(problems: readonly Problem[]) {
  const more = problems.length - MAX_DAMAGED
  return {
    problems: problems.slice(0, MAX_DAMAGED),
    ...(more > 0 && {
      truncated: {
        reason: 'over_budget',
        left_out: { problems: more },
        next: { tool: 'handoff_doctor', args: {} },
      },
    }),
  }
}

/** A row for each record, for a person. */
function viewOf(output: unknown): Record<string, unknown> {
  const { items, problems, truncated, next_cursor } = output as z.output<ReturnType<typeof listOutput>> // this tool's own
  return {
    records: items.map(({ id, status, updated_at, title, flags, snippet }) => ({
      id: shortId(id),
      status,
      updated: updated_at.slice(0, 16).replace('T', ' '),
      title: [title, ...flags.map((flag) => `[${flag}]`)].join(' '),
      ...(snippet ? { snippet } : {}),
    })),
    ...(problems.length > 0 && { damaged: problems.map(({ path, detail }) => ({ path, detail })) }),
    ...(truncated && { more: `${truncated.left_out['problems']} more damaged: satchel handoff doctor` }),
    ...(next_cursor !== null && { next_page: `--cursor ${next_cursor}` }),
  }
}
