import * as z from 'zod'
import { counted, defineTool, type Host, isReadable, untrusted, visibleLine } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'

const QUERY_MAX_CHARS = 500
const QUERY_SHOWN_CHARS = 80

const output = z.object({
  query: z.string(),
  groups: z.array(
    z.object({
      kind: z.string(),
      results: z.array(
        z.object({
          text: untrusted('text that was found', { line: true }),
          open: z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) }),
        }),
      ),
      more: z.boolean(),
      partly: z.literal(true).optional(),
      unavailable: z.string().optional(),
    }),
  ),
})

/** `satchel_find` and `satchel find`: what the searchers of all plugins find. */
export function findTool(host: Host) {
  return defineTool({
    name: 'satchel_find',
    title: 'Find anything',
    description:
      'Searches all that satchel keeps by words, grouped by kind (record, module, room). open is the call that reads a result.',
    profile: 'standard',
    input: z.object({
      query: z.string().max(QUERY_MAX_CHARS).describe('Words'),
      limit: z.int().min(1).max(20).default(5).describe('Per kind'),
    }),
    output,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    http: { method: 'GET', path: '/find' },
    cli: { verb: 'find', positional: ['query'], view: (answer) => viewOf(output.parse(answer)) },
    example: { query: 'private network' },
    omits: { '/query': 'the headline quotes it' },
    async handler(ctx, { query: asked, limit }) {
      const query = visibleLine(asked)
      if (!/[\p{L}\p{N}]/u.test(query)) throw refusals.query_empty()
      if (!isReadable(asked)) throw refusals.query_unreadable()
      const groups = await host.find(query, limit, ctx)
      return {
        query,
        groups: groups.map((group) => ({
          ...group,
          results: group.results.map(({ text, open }) => ({
            text,
            open: { ...open, args: { ...open.args } },
          })),
        })),
      }
    },
    headline({ query, groups }) {
      const counts = groups.flatMap(({ kind, results, more }) =>
        results.length === 0 ? [] : [`${kind} ${results.length}${more ? '+' : ''}`],
      )
      const missing = groups.flatMap(({ kind, unavailable }) => (unavailable === undefined ? [] : [kind]))
      const found = counts.length === 0 ? 'Nothing' : counts.join(', ')
      const not = missing.length === 0 ? '' : `; ${counted(missing.length, 'kind')} not searched`
      return `${found} for ${JSON.stringify(query.slice(0, QUERY_SHOWN_CHARS))}${not}.`
    },
  })
}

/** A list for each kind; the command line replaces each call by its command. */
function viewOf({ groups }: z.output<typeof output>): Record<string, unknown> {
  return Object.fromEntries(
    groups.flatMap(({ kind, results, more, partly, unavailable }) => [
      ...(results.length === 0 ? [] : [[partly ? `${kind} (some of the words)` : kind, results]]),
      ...(more ? [[`more of ${kind}`, 'give a larger --limit or more words']] : []),
      ...(unavailable === undefined ? [] : [[`${kind} not searched`, unavailable]]),
    ]),
  )
}
