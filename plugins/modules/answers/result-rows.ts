import { cleanText } from '../../../server/plugin.ts'

/** Digits of an id that name it among many. */
const ID_CHARS = 12
const DESCRIPTION_MAX_CHARS = 140

interface Found {
  readonly id: string
  readonly repository: string
  readonly path: string
  readonly ref: string
  readonly provider: string
  readonly description: string
  readonly removed_since?: string | undefined
}

/** A result of a search as a row for a person; `--json` has all of it. */
export function resultRow({ id, repository, path, ref, provider, description, removed_since }: Found) {
  const line = cleanText(description).replace(/\s+/g, ' ').trim()
  const place = repositoryPlace(repository)
  return {
    id: id.slice(0, ID_CHARS),
    module: path === '.' ? place : `${place}//${path}`,
    ref: `${ref}${removedText(removed_since)}`,
    provider,
    description: line.length <= DESCRIPTION_MAX_CHARS ? line : `${line.slice(0, DESCRIPTION_MAX_CHARS - 1)}…`,
  }
}

/** What follows the ref of a module that the newest release lacks. */
export function removedText(since: string | undefined): string {
  return since === undefined ? '' : ` (removed since ${since})`
}

/** How lists for a person name a repository: the last two parts of its URL. */
export function repositoryPlace(url: string): string {
  return url
    .replace(/\.git$/, '')
    .split(/[/:]/)
    .slice(-2)
    .join('/')
}
