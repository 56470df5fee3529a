import { cleanText, defineResource, fenced } from '../../server/plugin.ts'
import { moduleUri } from './catalog/module-uri.ts'
import { latestVersions } from './catalog/versions.ts'
import { compare } from './domain/order.ts'
import type { IndexRecord, ModuleIndex } from './output/module-index.ts'
import type { ModuleService } from './service/module-service.ts'
import { createVersionLookup } from './service/version-lookup.ts'

const LISTED = 50
const COMPLETIONS = 100

/** `module://{repository}/{ref}/{path}`: a whole summary; each part percent-encoded. */
export function moduleResource(service: ModuleService) {
  const indexOf = async (ctx: Parameters<ModuleService['outputDir']>[0]) => {
    const outputDir = await service.outputDir(ctx, undefined)
    return { outputDir, index: await service.findIndex(ctx, outputDir) }
  }
  return defineResource({
    uri: 'module://{repository}/{ref}/{path}',
    name: 'module',
    title: 'Module summary',
    description:
      'The whole summary of one ingested module version. repository: URL, owner/name or name; ref: tag, branch or latest; path: directory, "." for the root.',
    mimeType: 'application/json',
    subscribable: true,
    cache: { ttlMs: 60_000, scope: 'private' },
    async read(ctx, _uri, { repository, ref, path }) {
      const outputDir = await service.outputDir(ctx, undefined)
      const index = await service.loadIndex(ctx, outputDir)
      const lookup = createVersionLookup(service, ctx, { outputDir, index })
      const record = await lookup.module({ repository, ref, path })
      const summary = await service.summary(outputDir, record)
      const label = `of ${record.name} at ${record.ref}`
      const shown = {
        ...summary,
        description: fenced(summary.description, `description ${label}`),
        readme_content: fenced(summary.readme_content, `README ${label}`),
      }
      return { mimeType: 'application/json', text: cleanText(JSON.stringify(shown, null, 2)) }
    },
    async list(ctx) {
      const { index } = await indexOf(ctx)
      return index ? newest(index).map(entryOf) : []
    },
    async complete(ctx, variable, prefix) {
      const { index } = await indexOf(ctx)
      return index ? completionsOf(index, variable, prefix) : []
    },
  })
}

function entryOf(record: IndexRecord) {
  const directory = record.path === '.' ? '' : `//${record.path}`
  return {
    uri: moduleUri(record),
    name: `${record.name}${directory}@${record.ref}`,
    description: cleanText(record.description).slice(0, 200),
    mimeType: 'application/json',
  }
}

/** The latest version of each module that is not an example, most recently ingested first. */
function newest(index: ModuleIndex): IndexRecord[] {
  return latestVersions(index)
    .filter(({ kind }) => kind !== 'example')
    .sort((a, b) => compare(b.last_updated, a.last_updated) || compare(a.id, b.id))
    .slice(0, LISTED)
}

/** What may follow in a place of the URI, for completion of resources and prompts. */
export function completionsOf(index: ModuleIndex, variable: string, prefix: string): string[] {
  const pick: Readonly<Record<string, (record: IndexRecord) => string[]>> = {
    repository: ({ name, repository }) => [name, repository],
    ref: ({ ref }) => [ref],
    from: ({ ref }) => [ref],
    to: ({ ref }) => [ref],
    path: ({ path }) => [path],
    id: ({ id }) => [id],
  }
  const values = index.records.flatMap((record) => pick[variable]?.(record) ?? [])
  const wanted = prefix.toLowerCase()
  return [...new Set(variable === 'ref' ? ['latest', ...values] : values)]
    .filter((value) => value.toLowerCase().startsWith(wanted))
    .slice(0, COMPLETIONS)
}
