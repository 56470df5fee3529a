/** Determines the providers of a module and its primary provider. */
import type { ModuleFacts, ProviderBlockFacts, ResourceFacts } from './module-facts.ts'
import type { ModuleSummary, ProviderRequirement } from './summary.ts'

/** Providers that serve any cloud, count or name: primary only when a module has no other. design modules 4 */
const UTILITIES = new Set([
  'null',
  'random',
  'local',
  'time',
  'tls',
  'template',
  'archive',
  'external',
  'http',
  'modtm',
  'azurecaf',
])
/** Words of a filter that mean several providers. design modules 4 */
const FAMILIES = new Map([
  ['azure', ['azurerm', 'azapi', 'azuread']],
  ['gcp', ['google']],
  ['amazon', ['aws']],
])
const SPELLINGS = new Map([['google-beta', 'google']])

/** Local names of providers that blocks of one file use, in source order, `terraform` left out. */
export function usedProviders(facts: ModuleFacts): ProviderBlockFacts[] {
  const blocks: ProviderBlockFacts[] = [...facts.resources, ...facts.data, ...facts.ephemeral].map(
    (block) => ({
      name: providerOf(block),
      ...(block.line === undefined ? {} : { line: block.line }),
    }),
  )
  const used = [...facts.providerBlocks, ...blocks].filter(({ name }) => name !== 'terraform')
  return used.sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
}

/** The local name of the provider of a block: what it states, else the first part of its type. */
function providerOf(block: Pick<ResourceFacts, 'type' | 'provider'>): string {
  return block.provider ?? block.type.split('_', 1)[0] ?? block.type
}

/** The source without the host of the public registry, which is the default. */
export function providerAddress({ source }: Pick<ProviderRequirement, 'source'>): string {
  return source.toLowerCase().replace(/^registry\.(?:terraform\.io|opentofu\.org)\//, '')
}

/** Last part of the source, lower case, `google-beta` as `google`. */
export function normalizeProvider(source: string): string {
  const last = source.split('/').at(-1)?.toLowerCase() ?? ''
  return SPELLINGS.get(last) ?? last
}

/** The normalised providers of a module, each once, in the summary's order. */
export function providerNames(summary: Pick<ModuleSummary, 'providers'>): string[] {
  return [...new Set(summary.providers.map(({ source }) => normalizeProvider(source)))]
}

/**
 * The provider a module is about: the one with most resource and data blocks; a utility only when it is alone.
 * Without providers the `<p>` of a repository named `terraform-<p>-…`, else `unknown`.
 */
export function primaryProvider(
  summary: Pick<ModuleSummary, 'providers' | 'resources' | 'data' | 'repository'>,
): string {
  const names = providerNames(summary)
  const byLocalName = new Map(summary.providers.map(({ name, source }) => [name, normalizeProvider(source)]))
  const counts = new Map<string, number>()
  for (const { type } of [...summary.resources, ...summary.data]) {
    const local = type.split('_', 1)[0] ?? type
    const name = byLocalName.get(local) ?? normalizeProvider(local)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const serious = names.filter((name) => !UTILITIES.has(name))
  const candidates = serious.length > 0 ? serious : names
  const [first, ...others] = candidates
  if (first === undefined) return providerOfRepository(summary.repository)
  return others.reduce(
    (best, name) => ((counts.get(name) ?? 0) > (counts.get(best) ?? 0) ? name : best),
    first,
  )
}

function providerOfRepository(repository: string): string {
  const last =
    repository
      .replace(/\/+$/, '')
      .replace(/\.git$/, '')
      .split(/[/:]/)
      .at(-1) ?? ''
  return /^terraform-([a-z0-9]+)-/.exec(last)?.[1] ?? 'unknown'
}

/** The normalised providers that a filter word means: `azure` is azurerm, azapi and azuread. */
export function providersMeant(filter: string): readonly string[] {
  const wanted = normalizeProvider(filter.trim())
  return FAMILIES.get(wanted) ?? [wanted]
}

/** Path segments and provider names, lower case, each once: what a module is tagged with. */
export function moduleTags(summary: Pick<ModuleSummary, 'path' | 'providers'>): string[] {
  const segments = summary.path.split('/').filter((segment) => segment !== '' && segment !== '.')
  return [...new Set([...segments, ...providerNames(summary)].map((tag) => tag.toLowerCase()))]
}

/**
 * Requirements with the providers that are only used, in the order they first appear. A requirement without a version
 * has the first one that a `provider` block states.
 */
export function withInferred(
  required: readonly ProviderRequirement[],
  used: readonly (ProviderBlockFacts & { readonly file: string })[],
): ProviderRequirement[] {
  const providers = new Map(required.map((provider) => [provider.name, provider]))
  for (const { name, file, line, version = '' } of used) {
    const known = providers.get(name)
    const position = line === undefined ? {} : { position: { file, line } }
    if (known === undefined)
      providers.set(name, { name, source: `hashicorp/${name}`, version, inferred: true, ...position })
    else if (known.version === '') providers.set(name, { ...known, version })
  }
  return [...providers.values()]
}
