import { HANDOFF_SCHEMA } from '../../generated/handoff-schema.ts'
import { type CallContext, defineResource } from '../../server/plugin.ts'
import { findRecord } from './actions/find-record.ts'
import { getBrief } from './actions/get-record.ts'
import { shownLine } from './domain/fence.ts'
import { latestRecord } from './domain/latest.ts'
import { listRecords } from './domain/record-list.ts'
import { newestAmong, newestOf } from './domain/record-table.ts'
import type { Handoffs } from './project.ts'

const MAX_LISTED = 50
const MAX_INDEX = 100
/** Damaged files that the index names; `handoff_doctor` lists all. */
const MAX_DAMAGED = 100

/** The resources of the plugin (design handoff, section 13). */
export function handoffResources(handoffs: Handoffs) {
  return [
    schemaResource(),
    recordResource(handoffs),
    briefResource(handoffs),
    latestResource(handoffs),
    indexResource(handoffs),
  ]
}

function schemaResource() {
  return defineResource({
    uri: 'handoff://schema/v0.1',
    name: 'handoff-schema',
    title: 'Handoff record schema',
    description: 'JSON Schema (draft-07) of the handoff record, version 0.1.',
    mimeType: 'application/schema+json',
    subscribable: false,
    cache: { ttlMs: 3_600_000, scope: 'public' },
    read: async () => ({
      mimeType: 'application/schema+json',
      text: JSON.stringify(HANDOFF_SCHEMA, null, 2),
    }),
  })
}

/** The record's own bytes. */
function recordResource(handoffs: Handoffs) {
  return defineResource({
    uri: 'handoff://{id}',
    name: 'handoff',
    title: 'Handoff record',
    description: 'One handoff record, as stored.',
    mimeType: 'application/json',
    subscribable: true,
    read: async (ctx, _uri, { id = '' }) => ({
      mimeType: 'application/json',
      text: await textOf(handoffs, ctx, id),
    }),
    list: async () => {
      const { index } = await handoffs.ownProject()
      const rows = await index.ask((table) => table.load(newestAmong(table, MAX_LISTED)))
      return rows.map((row) => ({
        uri: `handoff://${row.id}`,
        name: `handoff-${row.id}`,
        title: shownLine(row.title).slice(0, 120),
        mimeType: 'application/json',
      }))
    },
    complete: (_ctx, _variable, prefix) => completeId(handoffs, prefix),
  })
}

function briefResource(handoffs: Handoffs) {
  return defineResource({
    uri: 'handoff://{id}/brief',
    name: 'handoff-brief',
    title: 'Handoff brief',
    description: 'Summary of a handoff record, to continue from.',
    mimeType: 'text/plain',
    subscribable: true,
    async read(ctx, _uri, { id = '' }) {
      const { text } = await getBrief(await handoffs.project(ctx, undefined), id)
      return { mimeType: 'text/plain', text }
    },
    complete: (_ctx, _variable, prefix) => completeId(handoffs, prefix),
  })
}

function latestResource(handoffs: Handoffs) {
  return defineResource({
    uri: 'handoff://latest',
    name: 'handoff-latest',
    title: 'Latest handoff',
    description: 'The record to continue from, as JSON.',
    mimeType: 'application/json',
    subscribable: true,
    exists: async () => {
      const { index } = await handoffs.ownProject()
      return index.ask((table) => latestRecord(table, handoffs.now().getTime()) !== undefined)
    },
    read: async (ctx) => ({
      mimeType: 'application/json',
      text: await textOf(handoffs, ctx, 'latest'),
    }),
  })
}

function indexResource(handoffs: Handoffs) {
  return defineResource({
    uri: 'handoff://index',
    name: 'handoff-index',
    title: 'Handoff index',
    description: 'The newest handoff records of the project, and damaged files.',
    mimeType: 'application/json',
    subscribable: true,
    async read(ctx) {
      const { index } = await handoffs.project(ctx, undefined)
      const { items, total, problems } = await index.ask(async (table) => ({
        ...(await listRecords(table, { limit: MAX_INDEX })),
        problems: await table.problems(),
      }))
      const isCut = total > items.length || problems.length > MAX_DAMAGED
      const text = JSON.stringify({ items, total, problems: problems.slice(0, MAX_DAMAGED) }, null, 2)
      return { mimeType: 'application/json', text, ...(isCut && { truncated: true as const }) }
    },
  })
}

async function textOf(handoffs: Handoffs, ctx: CallContext, id: string): Promise<string> {
  const project = await handoffs.project(ctx, undefined)
  return (await findRecord(project, id)).document.text
}

/** Ids that start or end like the prefix, newest first, and `latest`. */
export async function completeId(handoffs: Handoffs, prefix: string): Promise<readonly string[]> {
  const wanted = prefix.toLowerCase()
  const { index } = await handoffs.ownProject()
  const near = await index.ask((table) => {
    const found = [...table.records].filter((record) => {
      const id = table.id(record)
      return id.startsWith(wanted) || id.endsWith(wanted)
    })
    return newestOf(table, found).slice(0, 100).map(table.id)
  })
  return ['latest'.startsWith(wanted) ? ['latest'] : [], near].flat().slice(0, 100)
}
