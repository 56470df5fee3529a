import type { Searcher } from '../../server/plugin.ts'
import { listRecords } from './domain/record-list.ts'
import type { Handoffs } from './project.ts'

/** Finds records that hold every word, in any of their texts. */
export function recordSearcher(handoffs: Handoffs): Searcher {
  return {
    kind: 'record',
    async search(query, limit, ctx) {
      const { index } = await handoffs.project(ctx, undefined)
      const { items, total } = await index.ask((table) =>
        listRecords(table, { query: withoutSyntax(query), sort: 'relevance', limit }),
      )
      const results = items.map(({ id, title, status, snippet = '' }) => ({
        text: `${title} (${status})${snippet === '' || snippet === title ? '' : `: ${snippet}`}`,
        open: { tool: 'handoff_get', args: { id } },
      }))
      return { results, more: total > results.length }
    },
  }
}

/** The words alone: in the query of a list, `-`, `:`, `*` and quotes have a meaning. */
function withoutSyntax(query: string): string {
  return query.replace(/[":*]/g, ' ').replace(/(?<=^|\s)-+/g, '')
}
