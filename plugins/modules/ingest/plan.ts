import { createHash } from 'node:crypto'
import type { RepositoryEntry } from '../config.ts'
import { repositoryKey } from '../domain/module-source.ts'
import { parseDirectory } from '../git/directory.ts'
import { parseGlob } from '../git/glob.ts'
import { type AskedRef, parseAskedRef } from '../git/ref-name.ts'
import { refusals } from '../reasons.ts'
import { nameOfRemote, parseRemote, type Remote } from '../registry/remote.ts'
import { type Failure, failureOf, shownUrl, type Warning } from './report.ts'

/** One configured entry, every text of it checked. */
export interface PlannedEntry {
  readonly name: string
  readonly asked: readonly AskedRef[]
  readonly includeTags: boolean
  /** Infinity: all, up to the cap on refs. */
  readonly maxTags: number
  /** Normalised, `.` for the root. */
  readonly path: string
  readonly recursive: boolean
  readonly excludes: readonly string[]
  /** Changes whenever the same commit would give other summaries. */
  readonly optionsDigest: string
}

/**
 * All entries of one repository, under the URL of the first: they share one listing, one clone and one fetch, however
 * each spells the URL.
 */
export interface RepositoryPlan {
  readonly remote: Remote
  readonly entries: readonly PlannedEntry[]
}

export interface Plan {
  readonly repositories: readonly RepositoryPlan[]
  readonly failures: readonly Failure[]
}

export interface PlanOptions {
  /** Default of entries without `recursive`. */
  readonly recursive: boolean
  readonly workingDirectory: string
  /** Version of everything between bytes and summary. */
  readonly parserVersion: string
}

/** Checks every entry before any work; a refused entry does not stop the others. */
export function planRepositories(entries: readonly RepositoryEntry[], options: PlanOptions): Plan {
  const byKey = new Map<string, { remote: Remote; entries: PlannedEntry[] }>()
  const failures: Failure[] = []
  for (const entry of entries) {
    let shown = shownUrl(entry.url)
    try {
      const remote = parseRemote(entry.url, options.workingDirectory)
      shown = remote.url
      const planned = planEntry(entry, remote, options)
      const key = repositoryKey(remote.url)
      const same = byKey.get(key)
      if (same) same.entries.push(planned)
      else byKey.set(key, { remote, entries: [planned] })
    } catch (thrown) {
      failures.push(failureOf({ repository: shown }, thrown))
    }
  }
  return { repositories: [...byKey.values()], failures }
}

/** One warning for each of these URLs that names a planned repository, but is not the URL that it is planned by. */
export function respelledWarnings({ repositories }: Plan, urls: Iterable<string>): Warning[] {
  const planned = new Map(repositories.map(({ remote }) => [repositoryKey(remote.url), remote.url]))
  const isLike = likeOneOf([...planned.keys()])
  return [...new Set(urls)].filter(isLike).flatMap((url) => {
    const repository = planned.get(repositoryKey(url))
    if (repository === undefined || repository === url) return []
    const message = `What was read from ${url}, another spelling of this URL, is kept beside it; an ingest with prune removes it.`
    return [{ repository, code: 'url_respelled', message }]
  })
}

/**
 * Tells URLs that may have one of these keys from those that cannot, which of tens of thousands are most: the last part
 * of their path is another one.
 */
function likeOneOf(keys: readonly string[]): (url: string) => boolean {
  const names = new Set(keys.map(lastPart))
  const isPlain = keys.every((key) => !key.startsWith('registry:'))
  return (url) => !isPlain || url.includes('%') || names.has(lastPart(url))
}

function lastPart(address: string): string {
  const plain = address.toLowerCase().replace(/(?:\.git|\/)+$/, '')
  return plain.slice(Math.max(plain.lastIndexOf('/'), plain.lastIndexOf(':')) + 1)
}

function planEntry(entry: RepositoryEntry, remote: Remote, options: PlanOptions): PlannedEntry {
  const name = entry.name === undefined ? nameOfRemote(remote) : parseName(entry.name)
  const path = parseDirectory(entry.path)
  const recursive = entry.recursive ?? options.recursive
  const excludes = entry.exclude_paths.map(parseGlob)
  const shape = JSON.stringify([options.parserVersion, name, path, recursive, excludes])
  return {
    name,
    asked: entry.branches.map(parseAskedRef),
    includeTags: entry.include_tags,
    maxTags: entry.max_tags === null || entry.max_tags === 0 ? Number.POSITIVE_INFINITY : entry.max_tags,
    path,
    recursive,
    excludes,
    optionsDigest: createHash('sha256').update(shape).digest('hex').slice(0, 16),
  }
}

function parseName(typed: string): string {
  if (!/^[A-Za-z0-9._+-]{1,100}$/.test(typed) || typed === '.' || typed === '..') {
    throw refusals.name_refused()
  }
  return typed
}
