import type { NextStep, SatchelError } from '../../../server/plugin.ts'
import {
  canonicalRepository,
  isRepositoryOf,
  type ModuleSource,
  ofOwnAddress,
  parseSource,
  type RegistryAliases,
  shortRef,
} from '../domain/module-source.ts'
import { nearestNames, nearestRefs, spellingsOf } from '../domain/nearest-names.ts'
import { compare } from '../domain/order.ts'
import { shownSource } from '../domain/shown-source.ts'
import { parseDirectory } from '../git/directory.ts'
import { type IndexRecord, type ModuleIndex, namesOf } from '../output/module-index.ts'
import { refusals } from '../reasons.ts'
import { groupVersions, type ModuleVersions } from './versions.ts'

/** How a caller names one module version: by id, or by repository, ref and path. */
export interface ModuleName {
  readonly id?: string | undefined
  readonly repository?: string | undefined
  /** Absent or `latest`: the latest. */
  readonly ref?: string | undefined
  /** Absent: the root, or where there is none the only directory that the configuration names. */
  readonly path?: string | undefined
}

/** Fewer digits of an id name nothing. */
export const SHORTEST_PREFIX = 8
/** What an id looks like; anything else in its place is a name. */
const ID = /^[0-9a-f]{1,64}$/i

/**
 * The same name with a repository of its own, a path and a ref: in place of an id there may be a name, and a name may be
 * the `source` of a call, a registry address too. What is given apart counts.
 */
export function plainName(index: ModuleIndex, name: ModuleName, aliases: RegistryAliases = {}): ModuleName {
  const { id, ref, path } = name
  const isId = id !== undefined && ID.test(id) && !isOnlyName(index, id)
  const written = isId ? undefined : (id ?? name.repository)
  if (written === undefined) return name
  if (repositoriesNamed(index, written).length > 0) return { repository: written, ref, path }
  const source = parseSource(written, aliases)
  if (source.kind !== 'git' && source.kind !== 'registry') return { repository: written, ref, path }
  return sourceName(repositoryOf(index, source, written), source, name)
}

function sourceName(repository: string, source: GitOrRegistry, { ref, path }: ModuleName): ModuleName {
  const ownPath = source.path === '.' ? undefined : source.path
  const ownRef = source.kind === 'git' && source.ref !== undefined ? shortRef(source.ref) : undefined
  return { repository, ref: ref ?? ownRef, path: path ?? ownPath }
}

type GitOrRegistry = ModuleSource & { readonly kind: 'git' | 'registry' }

/** The URL of the index that a source means; what was written of it where there is none. */
function repositoryOf(index: ModuleIndex, source: GitOrRegistry, written: string): string {
  const urls = [...new Set(index.records.map(({ repository }) => repository))]
  const fitting = urls.filter((url) => isRepositoryOf(source, url))
  const known = ofOwnAddress(source, fitting, (url) => url)
  if (known.length > 1) throw ambiguous(written, known)
  return known[0] ?? (source.kind === 'registry' ? source.repository : baseOf(written))
}

/** A repository may be called like the beginning of an id. */
function isOnlyName(index: ModuleIndex, written: string): boolean {
  const isId = index.records.some(({ id }) => id.startsWith(written.toLowerCase()))
  return !isId && repositoriesNamed(index, written).length > 0
}

/** A source without its path and query. */
function baseOf(source: string): string {
  return (source.split('?')[0] ?? source).replace(/(?<!:)\/\/.*$/, '')
}

/**
 * The record a caller means.
 * Errors: `not_found`/`module_not_found` with up to three nearest names; `conflict`/`id_ambiguous`;
 * `invalid`/`options_invalid` when neither id nor repository is given.
 */
export function findModule(index: ModuleIndex, written: ModuleName, aliases?: RegistryAliases): IndexRecord {
  const name = plainName(index, written, aliases)
  if (name.id !== undefined) return findById(index, name.id)
  const { versions, latest } = findVersions(index, name)
  if (name.ref === undefined || name.ref === 'latest') return latest
  const { ref } = name
  const found = findRef(versions, ref)
  if (found) return found
  const isThere = index.records.some(
    (record) => spellingsOf(ref).includes(record.ref) && record.repository === latest.repository,
  )
  if (isThere) {
    const { repository, path } = latest
    throw pathMissing(index, { repository, path, ref })
  }
  const { repository, path } = latest
  throw unknown(
    'ref',
    ref,
    versions.map(({ ref }) => ref),
    { tool: 'list_module_versions', args: { repository, path } },
  )
}

/** The version of a ref as a caller writes it: with or without the "v" of a tag, if no ref is written just so. */
export function findRef<Version extends Pick<IndexRecord, 'ref'>>(
  versions: readonly Version[],
  written: string,
): Version | undefined {
  for (const spelling of spellingsOf(written)) {
    const found = versions.find(({ ref }) => ref === spelling)
    if (found) return found
  }
  return undefined
}

/** The refusal of a directory that a ref does not have, with the nearest that are indexed: at that ref, if it is. */
export function pathMissing(
  index: ModuleIndex,
  { repository, path, ref }: Pick<IndexRecord, 'repository' | 'path' | 'ref'>,
): SatchelError {
  const own = index.records.filter((record) => record.repository === repository)
  const there = own.filter((record) => record.ref === ref)
  const elsewhere = (there.length > 0 ? there : own).filter((record) => record.path !== path)
  const others = [...new Map(elsewhere.map((record) => [record.path, record])).values()]
  const near =
    path === '.'
      ? insteadOfRoot(others)
      : nearestNames(
          path,
          others.map((record) => record.path),
        )
  const said = path === '.' ? `It has ${firstOf(near, others.length)}.` : `Nearest: ${near.join(', ')}.`
  const hint = near.length === 0 ? '' : ` ${said}`
  return refusals.path_missing_at_ref(
    { repository, path, ref, hint },
    { details: { ref, path, nearest: near } },
  )
}

/** All versions of the module a caller names by repository and path, or by the id of one of them. */
export function findVersions(
  index: ModuleIndex,
  written: ModuleName,
  aliases?: RegistryAliases,
): ModuleVersions {
  const name = plainName(index, written, aliases)
  const anchor = name.id === undefined ? undefined : findById(index, name.id)
  const repository = anchor?.repository ?? findRepository(index, name.repository)
  const inRepository = index.records.filter((record) => record.repository === repository)
  const groups = groupVersions(index, inRepository)
  const path = anchor?.path ?? (name.path === undefined ? mainPath(groups) : parseDirectory(name.path))
  if (path === undefined) throw withoutRoot(repository, groups)
  const found = groups.find((group) => group.path === path)
  if (found) return found
  throw unknown(
    'path',
    path,
    groups.map((group) => group.path),
    { tool: 'search_modules', args: { repository } },
  )
}

/** The directory that the name of a repository means: its root, else the only one that the configuration names. */
export function mainPath(groups: readonly Pick<ModuleVersions, 'path' | 'latest'>[]): string | undefined {
  if (groups.some(({ path }) => path === '.')) return '.'
  const roots = groups.filter(({ latest }) => latest.kind === 'root')
  return roots.length === 1 ? roots[0]?.path : undefined
}

const NEAR_ROOT = 3
const KINDS: readonly IndexRecord['kind'][] = ['root', 'submodule', 'example']

/** The directories that are most likely meant by a root without a module: not examples, and not deep. */
function insteadOfRoot(records: readonly Pick<IndexRecord, 'path' | 'kind'>[]): readonly string[] {
  const depth = (path: string): number => path.split('/').length
  return [...records]
    .sort(
      (a, b) =>
        KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
        depth(a.path) - depth(b.path) ||
        compare(a.path, b.path),
    )
    .map(({ path }) => path)
    .slice(0, NEAR_ROOT)
}

/** The first of some names, and how many more there are. */
function firstOf(shown: readonly string[], count: number): string {
  return `${shown.join(', ')}${count > shown.length ? `, and ${count - shown.length} more` : ''}`
}

function withoutRoot(repository: string, groups: readonly ModuleVersions[]) {
  const near = insteadOfRoot(groups.map(({ path, latest }) => ({ path, kind: latest.kind })))
  return refusals.no_root_module(
    { repository, near: firstOf(near, groups.length) },
    { details: { path: '.', nearest: near }, next: { tool: 'search_modules', args: { repository } } },
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
  const found = repositoriesNamed(index, named)
  const [first] = found
  if (first === undefined) {
    const known = index.records.flatMap((record) => [record.repository, ...namesOf(record)])
    throw unknownRepository(named, known)
  }
  if (found.length === 1) return first
  throw ambiguous(named, found)
}

/** The refusal of a repository that is not one of `known`, which are URLs and names. */
export function unknownRepository(named: string, known: readonly string[]) {
  return unknown('repository', named, [...new Set(known)])
}

function ambiguous(named: string, found: readonly string[]) {
  const candidates = found.slice(0, 3)
  const more = found.length > 3 ? ', …' : ''
  return refusals.name_ambiguous(
    {
      count: found.length,
      name: JSON.stringify(shownSource(named).slice(0, 120)),
      candidates: `${candidates.join(', ')}${more}`,
    },
    { details: { candidates } },
  )
}

function repositoriesNamed(index: ModuleIndex, named: string): readonly string[] {
  const names = new Map<string, Set<string>>()
  for (const record of index.records) {
    const known = names.get(record.repository) ?? new Set()
    for (const name of namesOf(record)) known.add(name)
    names.set(record.repository, known)
  }
  // Two URLs may differ in nothing that `isNamed` looks at.
  if (names.has(named)) return [named]
  return [...names].flatMap(([url, own]) => ([...own].some((name) => isNamed(url, name, named)) ? [url] : []))
}

/**
 * Whether a repository is meant by `named`: its URL in any spelling, the end of its path (`owner/name`), or its name.
 */
export function isNamed(url: string, name: string, named: string): boolean {
  const wanted = canonicalRepository(named)
  const own = canonicalRepository(url)
  if (own === wanted || name.toLowerCase() === wanted || canonicalRepository(name) === wanted) return true
  return wanted.includes('/') && own.endsWith(`/${wanted}`)
}

function unknown(what: string, asked: string, known: readonly string[], next?: NextStep) {
  const near = what === 'ref' ? nearestRefs(asked, known) : nearestNames(asked, known)
  const hint = near.length > 0 ? ` Nearest: ${near.join(', ')}.` : ''
  const shown = shownSource(asked).slice(0, 120)
  return refusals.module_not_found(
    { what, name: JSON.stringify(shown), hint },
    { details: { [what]: shown, nearest: near }, ...(next && { next }) },
  )
}
