/** Sources that Terraform refuses for certain, as it tells the kinds of sources apart. */
import { splitPath } from './module-source.ts'
import { parseRegistryAddress } from './registry-address.ts'
import { shownSource } from './shown-source.ts'

/** Why a source is refused, as a sentence, and what was meant where that is plain. */
export interface RefusedSource {
  readonly message: string
  readonly suggestion?: string
}

/** Undefined also where it is not certain. Local paths are never refused here. */
export function refusedSource(text: string): RefusedSource | undefined {
  if (/^(?:\.{1,2}(?:\/|$)|tfr:)/.test(text)) return undefined // `tfr:` is of Terragrunt
  if (text === '') return { message: 'Terraform refuses an empty source.' }
  return (
    withBlank(text) ??
    withoutForce(text) ??
    scpAfterScheme(text) ??
    leadsOutside(text) ??
    misnamedRef(text) ??
    versionInAddress(text) ??
    unknownKind(text)
  )
}

function withBlank(text: string): RefusedSource | undefined {
  const suggestion = text.trim()
  const isRefused = /^\s/.test(text) && suggestion !== ''
  return isRefused
    ? { message: 'Terraform refuses a source that starts with a blank.', suggestion }
    : undefined
}

/** What other tools write before the URL of a repository. */
const GIT_SCHEME = /^(?:git\+)?ssh:\/\/|^git\+https:\/\//i
/** The address of a repository at a host that answers a download of it with a page. */
const PAGE =
  /^https:\/\/(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org)\/(?!api\/)[^/?]+(?:\/(?!-\/)[^/?]+)+(?:\/?$|[/?])/i
const ARCHIVE =
  /[?&]archive=|\.(?:zip|tgz|tar|gz|bz2|tbz2|xz|txz|zst)(?:\/\/|[?#]|$)|\/(?:archive|zipball|tarball)\//i

/** Sources that Terraform takes and that are of no repository and no registry: archives, buckets, images, absolute paths. */
export function isNoRepository(text: string): boolean {
  return (
    /^(?:(?:s3|gcs|hg|https?)::|oci:|\/|[a-z]:[\\/])/i.test(text) ||
    (/^https?:/i.test(text) && ARCHIVE.test(text))
  )
}

/** A URL without `git::` is downloaded. */
function withoutForce(text: string): RefusedSource | undefined {
  const isPage = PAGE.test(text) && !ARCHIVE.test(text)
  if (!isPage && !GIT_SCHEME.test(text)) return undefined
  const suggestion = `git::${text.replace(/^git\+/i, '')}`
  const why = isPage
    ? 'Without git:: before it Terraform downloads a page instead of the repository'
    : 'Terraform takes this URL only with git:: before it'
  return { message: `${why}. Write ${shownSource(suggestion)}.`, suggestion }
}

/** `ssh://git@host:owner/name`: behind the colon of a URL is a port. */
function scpAfterScheme(text: string): RefusedSource | undefined {
  const [, before, path] = /^(git::ssh:\/\/[^/:]+):(?!\d+(?:\/|$))([^/].*)$/i.exec(text) ?? []
  if (before === undefined || path === undefined) return undefined
  const suggestion = `${before}/${path}`
  const message = `Terraform refuses a URL with ssh:// and a path behind a colon. Write ${shownSource(suggestion)}.`
  return { message, suggestion }
}

function leadsOutside(text: string): RefusedSource | undefined {
  const { path } = splitPath(text.split('?', 1)[0] ?? '')
  if (!/^\.\.(?:\/|$)/.test(path)) return undefined
  return { message: `Terraform refuses the directory ${shownSource(path)}: it leads out of the package.` }
}

/** `?tag=v1.0.0` and the like: git gets them as a part of the address, where no repository is. */
function misnamedRef(text: string): RefusedSource | undefined {
  if (!/^(?:git::|git@|github\.com\/|bitbucket\.org\/)/i.test(text) || /[?&]ref=/.test(text)) return undefined
  const [stated, mark, name] = /([?&])(tag|branch|commit|rev|revision|version)=/.exec(text) ?? []
  if (stated === undefined) return undefined
  const suggestion = text.replace(stated, `${mark}ref=`)
  const message = `A source of git has no parameter ${name}, so git finds no repository there. Write ${shownSource(suggestion)}.`
  return { message, suggestion }
}

/** A registry address takes neither a query nor a version. */
function versionInAddress(text: string): RefusedSource | undefined {
  const parts = /^([^?@]+?)(\/\/[^?@]*)?((?:[?@]|\/v?\d+\.).*)$/.exec(text)
  const [, base = '', path = '', rest = ''] = parts ?? []
  const address = parseRegistryAddress(base)
  if (address === undefined || !REGISTRIES.has(address.host)) return undefined
  const suggestion = `${base}${path}`
  const version = /v?\d+(?:\.\d+)+[\w.+-]*/.exec(rest)?.[0]?.replace(/^v/, '') ?? '…'
  const message = `A registry address takes no ref and no version; Terraform refuses ${shownSource(text)}. Write ${shownSource(suggestion)} and version = "${version}".`
  return { message, suggestion }
}

/** Others may be hosts of git. */
const REGISTRIES: ReadonlySet<string> = new Set([
  'registry.terraform.io',
  'registry.opentofu.org',
  'app.terraform.io',
])

/** Hosts whose addresses Terraform completes. */
const COMPLETED = /^(?:github\.com|bitbucket\.org|(?:[^/]+\.)?(?:amazonaws|googleapis)\.com)\//i

/** Neither local, nor of a registry, nor a URL, nor a host that Terraform knows. Most are local ones without `./`. */
function unknownKind(text: string): RefusedSource | undefined {
  if (!/^[\w~-][\w.~-]*(?:\/{1,2}[\w.~-]+)*\/?(?:\?[^/]*)?$/.test(text) || COMPLETED.test(text))
    return undefined
  const { base } = splitPath(text)
  if (parseRegistryAddress(base) !== undefined) return undefined
  const isHost = /^[\w-]+(?:\.[\w-]+)+\/./.test(base)
  const suggestion = isHost ? `git::https://${text}` : `./${text}`
  const meant = isHost ? 'For a repository of git' : 'For a local directory'
  const message = `Terraform does not know what kind of source ${shownSource(text)} is, and refuses it. ${meant} write ${shownSource(suggestion)}.`
  return { message, suggestion }
}
