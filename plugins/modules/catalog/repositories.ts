import { grouped } from '../../../server/plugin.ts'
import { compare } from '../domain/order.ts'
import { type IndexRecord, type ModuleIndex, namesOf } from '../output/module-index.ts'
import { groupVersions, type ModuleVersions } from './versions.ts'

/** What a reader wants to know of a repository. */
export interface RepositoryFacts {
  readonly url: string
  readonly name: string
  readonly description: string
  /** Latest first. */
  readonly refs: string[]
  readonly latest: string
  /** Modules of the latest versions: directories, not refs. */
  readonly module_count: number
  readonly providers: string[]
  readonly last_updated: string
}

/** The repositories of an index by name; `filter` is looked for in URL, name and providers. */
export function listRepositories(index: ModuleIndex, filter?: string): RepositoryFacts[] {
  const byRepository = grouped(groupVersions(index, index.records), ({ repository }) => repository)
  const wanted = filter?.trim().toLowerCase() ?? ''
  return [...byRepository.values()]
    .flatMap((groups) => {
      const facts = factsOf(groups)
      if (facts === undefined) return []
      const texts = [facts.url, ...allNames(groups), ...facts.providers]
      return texts.some((text) => text.toLowerCase().includes(wanted)) ? [facts] : []
    })
    .sort((a, b) => compare(a.name.toLowerCase(), b.name.toLowerCase()) || compare(a.url, b.url))
}

function factsOf(all: readonly ModuleVersions[]): RepositoryFacts | undefined {
  const living = all.filter(({ removedSince }) => removedSince === undefined)
  const groups = living.length > 0 ? living : all
  const main = [...groups].sort((a, b) => rank(a.latest) - rank(b.latest) || compare(a.path, b.path))[0]
  if (main === undefined) return undefined
  const records = all.flatMap(({ versions }) => versions)
  return {
    url: main.repository,
    name: main.latest.name,
    description: main.latest.description,
    refs: main.versions.map(({ ref }) => ref),
    latest: main.latest.ref,
    module_count: groups.length,
    providers: [...new Set(groups.flatMap(({ latest }) => latest.providers))].sort(),
    last_updated: records.reduce(
      (newest, { last_updated }) => (last_updated > newest ? last_updated : newest),
      '',
    ),
  }
}

function allNames(groups: readonly ModuleVersions[]): readonly string[] {
  return groups.flatMap(({ versions }) => versions.flatMap(namesOf))
}

/** The root module speaks for its repository. */
function rank({ kind }: IndexRecord): number {
  return kind === 'root' ? 0 : kind === 'submodule' ? 1 : 2
}
