import { type IndexRecord, type ModuleIndex, namesOf } from '../output/module-index.ts'
import { isNamed } from './find.ts'
import { moduleUri } from './module-uri.ts'
import { groupVersions } from './versions.ts'

/**
 * Every URI that reads otherwise since these records changed or went: by the URL, `owner/name` and name of the repository,
 * by the ref, and by `latest` where the latest version is another one or has changed.
 */
export function changedUris(index: ModuleIndex, changed: readonly IndexRecord[]): ReadonlySet<string> {
  const repositories = new Set(changed.map(({ repository }) => repository))
  const present = index.records.filter(({ repository }) => repositories.has(repository))
  const latest = new Set(groupVersions(index, present).map((group) => group.latest.id))
  const ids = new Set(present.map(({ id }) => id))
  const uris = changed.flatMap((record) => {
    const refs = latest.has(record.id) || !ids.has(record.id) ? [record.ref, 'latest'] : [record.ref]
    return spellingsOf(record).flatMap((repository) =>
      refs.map((ref) => moduleUri({ repository, ref, path: record.path })),
    )
  })
  return new Set(uris)
}

function spellingsOf(record: IndexRecord): string[] {
  const { repository } = record
  const names = namesOf(record)
  const ownerAndName = /([^/:]+\/[^/:]+?)(?:\.git)?\/*$/i.exec(repository)?.[1]
  const spellings = [repository, ...names, ...(ownerAndName === undefined ? [] : [ownerAndName])]
  return spellings.filter((spelling) => names.some((name) => isNamed(repository, name, spelling)))
}
