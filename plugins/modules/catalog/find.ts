import { nearestNames } from '../domain/nearest-names.ts'
import { parseDirectory } from '../git/directory.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import { refusals } from '../reasons.ts'
import { groupVersions, type ModuleVersions } from './versions.ts'

/** How a caller names one module version: by id, or by repository, ref and path. */
export interface ModuleName {
  readonly id?: string | undefined
  readonly repository?: string | undefined
  /** Absent or `latest`: the latest. */
  readonly ref?: string | undefined
  /** Absent: the root. */
  readonly path?: string | undefined
}

const SHORTEST_PREFIX = 8

/**
 * The record a caller means.
 * Errors: `not_found`/`module_not_found` with up to three nearest names; `conflict`/`id_ambiguous`;
 * `invalid`/`options_invalid` when neither id nor repository is given.
 */
export function findModule(index: ModuleIndex, name: ModuleName): IndexRecord {
  if (name.id !== undefined) return findById(index, name.id)
  const { versions, latest } = findVersions(index, name)
  if (name.ref === undefined || name.ref === 'latest') return latest
  const found = versions.find(({ ref }) => ref === name.ref)
  if (found) return found
  const { ref } = name
  const isThere = index.records.some(
    (record) => record.ref === ref && record.repository === latest.repository,
  )
  if (isThere) {
    const { repository, path } = latest
    throw refusals.path_missing_at_ref({ repository, path, ref }, { details: { ref, path } })
  }
  throw unknown(
    'ref',
    ref,
    versions.map(({ ref }) => ref),
  )
}

/** All versions of the module a caller names by repository and path, or by the id of one of them. */
export function findVersions(index: ModuleIndex, name: ModuleName): ModuleVersions {
  const anchor = name.id === undefined ? undefined : findById(index, name.id)
  const repository = anchor?.repository ?? findRepository(index, name.repository)
  const path = anchor?.path ?? parseDirectory(name.path ?? '.')
  const inRepository = index.records.filter((record) => record.repository === repository)
  const groups = groupVersions(index, inRepository)
  const found = groups.find((group) => group.path === path)
  if (found) return found
  throw unknown(
    'path',
    path,
    groups.map((group) => group.path),
  )
}

function findById(index: ModuleIndex, id: string): IndexRecord {
  const wanted = id.toLowerCase()
  const found = index.records.filter((record) => record.id.startsWith(wanted))
  const [first] = found
  if (wanted.length < SHORTEST_PREFIX || first === undefined) throw unknown('id', id, [])
  if (found.length === 1) return first
  throw refusals.id_ambiguous(
    { prefix: wanted, count: found.length },
    {
      details: { candidates: found.slice(0, 3).map((record) => record.id) },
    },
  )
}

/**
 * The URL of the repository a caller names by URL, `owner/name` or name.
 * Errors: `not_found`/`module_not_found`, `conflict`/`id_ambiguous` when a name fits several.
 */
export function findRepository(index: ModuleIndex, named: string | undefined): string {
  if (named === undefined || named === '') {
    throw refusals.module_unnamed()
  }
  const urls = [...new Set(index.records.map(({ repository }) => repository))]
  // Two URLs may differ in nothing that `isNamed` looks at.
  if (urls.includes(named)) return named
  const names = new Map(index.records.map(({ repository, name }) => [repository, name]))
  const found = urls.filter((url) => isNamed(url, names.get(url) ?? '', named))
  const [first] = found
  if (first === undefined)
    throw unknown(
      'repository',
      named,
      urls.flatMap((url) => [url, names.get(url) ?? '']),
    )
  if (found.length === 1) return first
  throw refusals.name_ambiguous(
    { count: found.length, name: JSON.stringify(named) },
    { details: { candidates: found.slice(0, 3) } },
  )
}

/** Whether a repository is meant by `named`: its URL (with or without `.git`), `owner/name`, or its name. */
export function isNamed(url: string, name: string, named: string): boolean {
  const plain = (text: string): string =>
    text
      .replace(/\/+$/, '')
      .replace(/\.git$/i, '')
      .toLowerCase()
  const wanted = plain(named)
  if (plain(url) === wanted || name.toLowerCase() === wanted || plain(name) === wanted) return true
  return wanted.includes('/') && (plain(url).endsWith(`/${wanted}`) || plain(url).endsWith(`:${wanted}`))
}

function unknown(what: string, asked: string, known: readonly string[]) {
  const near = nearestNames(asked, known)
  const hint = near.length > 0 ? ` Nearest: ${near.join(', ')}.` : ''
  const shown = JSON.stringify(asked.slice(0, 120))
  return refusals.module_not_found(
    { what, name: shown, hint },
    { details: { [what]: asked.slice(0, 120), nearest: near } },
  )
}
