import * as z from 'zod'
import {
  type CallContext,
  counted,
  defineTool,
  inWords,
  isReadable,
  once,
  untrusted,
} from '../../../server/plugin.ts'
import { knownProviders, nearestHeadline, ONLY_NEAREST, unknownRef } from '../answers/nothing-fits.ts'
import { quoted } from '../answers/quoted.ts'
import { resultRow } from '../answers/result-rows.ts'
import { removedSinceField } from '../answers/shapes.ts'
import { openingOf } from '../domain/description.ts'
import { refusals } from '../reasons.ts'
import type { SearchSession } from '../search/search-session.ts'
import { type ModuleService, searchEnvironment } from '../service/module-service.ts'

const explanation = z.object({
  keyword: z.object({
    score: z.number(),
    scaled: z.number(),
    terms: z.array(z.object({ term: z.string(), field: z.string(), share: z.number() })),
    concepts: z.array(z.object({ concept: z.string(), share: z.number() })),
  }),
  vector: z.object({ cosine: z.number(), scaled: z.number() }).optional(),
  weights: z.object({ keyword: z.number(), vector: z.number() }),
  fused: z.number(),
  decided: z.array(z.object({ by: z.string(), effect: z.number(), what: z.string() })),
})

const result = z.object({
  id: z.string(),
  metadata: z.object({
    repository: z.string(),
    ref: z.string(),
    path: z.string(),
    provider: z.string(),
    providers: z.string(),
    tags: z.string(),
    last_updated: z.string(),
  }),
  document: untrusted('text of the module', { mcpMaxChars: 320, line: true }),
  distance: z.number(),
  other_refs: z.array(z.string()).optional(),
  removed_since: removedSinceField,
  explain: explanation.optional(),
})

const input = () =>
  z.object({
    query: z.string().min(1).max(2000).describe('What is needed.'),
    provider: z.string().max(100).optional().describe('aws, azure, google, …'),
    repository: z.string().max(2048).optional().describe('URL, owner/name or name.'),
    ref: z.string().max(255).optional().describe('Tag or branch.'),
    kind: z.enum(['root', 'submodule', 'example']).optional().describe('Only this kind.'),
    limit: z.number().int().min(1).max(50).default(10).describe('Most results.'),
    mode: z.enum(['vector', 'keyword', 'hybrid']).optional().describe('Absent: as configured.'),
    all_versions: inWords(z.boolean().default(false).describe('Every ref, not just the latest.')),
    explain: inWords(z.boolean().default(false).describe('Say how each score came to be.')),
    config_file: inWords(z.string().max(4096).optional().describe('Another configuration.')),
  })

const output = once(() =>
  z.object({
    results: z.array(result),
    count: z.number().int(),
    query: z.string(),
    mode: z.string(),
    strategy: z.string(),
    fuzzy: z.boolean().optional(),
    nothing_fits: z.boolean().optional(),
    read_as: z.array(z.object({ from: z.string(), to: z.string() })).optional(),
    older_versions: z.boolean().optional(),
    keyword_index: z.string().optional(),
    vectors: inWords(z.string().optional().describe('partial or none: modules without one rank by words.')),
    excluded: z.object({ examples: z.number().int() }).optional(),
    details: z.object({ known_providers: z.array(z.string()) }).optional(),
    next: z.string().optional(),
  }),
)

/** `search_modules_vector`, `POST /search/vector` and `satchel search`: one function. */
export function searchModulesVectorTool(service: ModuleService) {
  return defineTool({
    name: 'search_modules_vector',
    title: 'Search modules by meaning',
    description:
      'Finds ingested modules by what they are for, joining meaning and keywords. Choose it when their wording is unknown. Distance 0 is best. Also takes all_versions, explain, config_file.',
    profile: 'core',
    input,
    output,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
    maxResultChars: 500_000,
    http: { method: 'POST', path: '/search/vector' },
    cli: { verb: 'search', positional: ['query'], view: (answer) => viewOf(output().parse(answer)) },
    example: { query: 'private network with subnets', limit: 3 },
    omits: { '/query': 'the headline quotes it', '/count': 'the results are numbered' },
    async handler(ctx, asked) {
      if (asked.query.trim() === '' || !isReadable(asked.query)) throw refusals.query_unreadable()
      if (asked.config_file === undefined) return search(service, ctx, await service.searchSession(), asked)
      const { searchTargetOf } = await import('../service/search-target.ts')
      const { createSearchSession } = await import('../search/search-session.ts')
      const target = await searchTargetOf(service, ctx, asked.config_file)
      const session = createSearchSession(searchEnvironment(service), target)
      try {
        return await search(service, ctx, session, asked)
      } finally {
        await session.close()
      }
    },
    headline: ({ results, query, mode, nothing_fits }) =>
      results.length === 0
        ? `No module matches ${quoted(query)}.`
        : nothing_fits
          ? nearestHeadline(query, results.length)
          : `${counted(results.length, 'module')} for ${quoted(query)} by ${mode} search, best first`,
  })
}

async function search(
  service: ModuleService,
  ctx: CallContext,
  session: SearchSession,
  asked: z.output<ReturnType<typeof input>>,
): Promise<z.output<ReturnType<typeof output>>> {
  const { openSearch, filterOf, providersInstead, refsInstead, requireVectors } = await import(
    '../search/search-parts.ts'
  )
  const { searchModules } = await import('../search/hybrid-ranking.ts')
  const { embedding } = session.target
  const mode = asked.mode ?? (embedding.enable_hybrid_search ? 'hybrid' : 'vector')
  const weights = { keyword: embedding.keyword_weight, vector: embedding.vector_weight }
  if (mode === 'hybrid' && weights.keyword + weights.vector === 0) {
    throw refusals.weights_zero()
  }
  await requireVectors(session, mode, service.storedIndex)
  return await service.searching(ctx, session, async (index, lexicon) => {
    const opened = await openSearch({ session, mode, signal: ctx.signal, lexicon, index })
    if (!opened.store && index.source === '') throw refusals.no_index()
    const filter = filterOf(index, { ...asked, aliases: service.config.registry_aliases })
    const answer = await searchModules(opened, {
      query: asked.query,
      filter,
      examples: asked.kind === 'example' ? 'alike' : 'left out',
      allVersions: asked.all_versions,
      limit: asked.limit,
      mode,
      weights,
      explain: asked.explain,
    })
    const known = providersInstead(index, asked.provider)
    const details = known && { details: { known_providers: [...known] } }
    const found = { ...answer, strategy: opened.strategy, ...details }
    const refs = answer.results.length === 0 ? refsInstead(index, filter) : undefined
    const next = nextStep(found, refs && unknownRef(asked.ref ?? '', refs))
    return { ...found, ...(next !== undefined && { next }) }
  })
}

function viewOf({ results, next, excluded, keyword_index }: z.output<ReturnType<typeof output>>) {
  const rows = results.map(({ id, metadata, document, distance, explain, removed_since }) => {
    return {
      ...resultRow({ id, ...metadata, description: descriptionIn(document), removed_since }),
      distance,
      ...(explain && { explain }),
    }
  })
  return { results: rows, next, excluded, keyword_index }
}

/** What a document says of its module: its description, else a paragraph of its README; lists of inputs say nothing. */
function descriptionIn(document: string): string {
  const [, label, text = ''] = /^(Description|README): (.*)/s.exec(document) ?? []
  return (label === 'README' ? openingOf(text).paragraph : text.split('\n')[0]) ?? ''
}

const VECTORS: Readonly<Record<string, string>> = {
  none: 'There are no vectors yet: this is ranked by words.',
  partial: 'Some modules have no vector yet: those rank by words.',
}

/** What the caller should know of how the results came to be, and what to do next. */
function nextStep(
  answer: Omit<z.output<ReturnType<typeof output>>, 'next'>,
  unknown = '',
): string | undefined {
  const parts = [
    answer.nothing_fits ? ONLY_NEAREST : '',
    answer.read_as ? `Read as: ${answer.read_as.map(({ from, to }) => `${from} = ${to}`).join(', ')}.` : '',
    answer.fuzzy ? 'No word matched as written: these have similar words.' : '',
    answer.older_versions ? 'The latest versions do not match: these are older ones.' : '',
    answer.details ? knownProviders(answer.details.known_providers) : '',
    unknown,
    VECTORS[answer.vectors ?? ''] ?? '',
    answer.results.length === 0 ? 'Try other words or fewer filters.' : '',
  ].filter((part) => part !== '')
  return parts.length === 0 ? undefined : parts.join(' ')
}
