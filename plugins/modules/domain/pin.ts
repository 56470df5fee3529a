/** How a `module` block names another version of the module that it calls. */
import type { GivenBlock } from './check.ts'
import { quoteHcl } from './hcl-text.ts'
import { parseSource } from './module-source.ts'

/** The version that is wanted, and the commit of the one that the call names now. */
export interface PinTarget {
  readonly ref: string
  readonly ref_kind: 'branch' | 'tag'
  readonly commit: string
  readonly currentCommit: string
}

/** One argument: a new text of `source` or `version`, or a `version` that was not stated. */
export interface Pin {
  readonly argument: 'source' | 'version'
  /** HCL. */
  readonly text: string
  readonly isNew: boolean
}

/**
 * The pin keeps the spelling of the call: a commit stays a commit, `~>` stays `~>`, a registry address keeps its
 * `version`. Undefined for a block without a source.
 */
export function pinTo(block: GivenBlock, target: PinTarget): Pin | undefined {
  if (block.source === undefined) return undefined
  const { text } = block.source
  const source = parseSource(text)
  if (source.kind === 'registry' && source.version === undefined) {
    const version = quoteHcl(constraintTo(block.version, target.ref))
    return { argument: 'version', text: version, isNew: block.version === undefined }
  }
  const parameter = source.kind === 'registry' ? 'version' : 'ref'
  const current = source.kind === 'git' ? source.ref : undefined
  const pinned = withParameter(text, parameter, refTo(current, target))
  return { argument: 'source', text: quoteHcl(pinned), isNew: false }
}

function refTo(current: string | undefined, { ref, ref_kind, commit, currentCommit }: PinTarget): string {
  if (
    current !== undefined &&
    /^[0-9a-f]{7,}$/i.test(current) &&
    currentCommit.startsWith(current.toLowerCase())
  )
    return commit
  const prefix = (ref_kind === 'tag' && /^(?:refs\/)?tags\//.exec(current ?? '')?.[0]) || ''
  return `${prefix}${encodeURIComponent(ref).replaceAll('%2F', '/')}`
}

function withParameter(source: string, name: string, value: string): string {
  const stated = new RegExp(`([?&])${name}=[^&]*`)
  if (stated.test(source)) return source.replace(stated, (_, mark: string) => `${mark}${name}=${value}`)
  return `${source}${source.includes('?') ? '&' : '?'}${name}=${value}`
}

/** `~> 1.2` becomes `~> 2.0`; any other constraint the exact version, because only that one was compared. */
function constraintTo(current: string | undefined, ref: string): string {
  const exact = ref.replace(/^v(?=\d)/, '')
  const parts = /^~>\s*v?(\d+(?:\.\d+)+)$/.exec(current?.trim() ?? '')?.[1]?.split('.').length
  const numbers = exact.split('.')
  return parts === undefined || !/^\d+(?:\.\d+)+$/.test(exact) || numbers.length < parts
    ? exact
    : `~> ${numbers.slice(0, parts).join('.')}`
}
