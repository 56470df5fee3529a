/** Classes the change of one attribute of a block. */
import type { ChangeClass } from './change.ts'
import { compareVersions, floorOf } from './constraint.ts'
import { inlined } from './inlined-locals.ts'
import { isKept } from './module-code.ts'
import type { Variable } from './summary.ts'

/** An attribute that is not the same in both versions; absent where a version does not state it. */
export interface AttributeChange {
  /** `resource`, `data`, `module`, `output`, `local`, `var`, … */
  readonly kind: string
  readonly address: string
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** What else changed between the versions. */
export interface CodeContext {
  /** Inputs that are new and optional. */
  readonly addedInputs: ReadonlyMap<string, Variable>
  /** Every new input. */
  readonly newInputs: ReadonlySet<string>
  /** Addresses that a `moved` block of the newer version names, without instance keys. */
  readonly moved: ReadonlySet<string>
  /** The kept texts of the locals of each version, by address. */
  readonly locals: {
    readonly before: ReadonlyMap<string, string>
    readonly after: ReadonlyMap<string, string>
  }
}

/** The class of the change; `review` where no rule is certain enough. */
export function classifyAttribute(change: AttributeChange, context: CodeContext): ChangeClass {
  for (const rule of RULES) {
    const rank = rule(change, context)
    if (rank !== undefined) return rank
  }
  return 'review'
}

/** Gives no class where it does not apply. */
type Rule = (change: AttributeChange, context: CodeContext) => ChangeClass | undefined

const RULES: readonly Rule[] = [
  instances,
  replacing,
  settings,
  texts,
  nestedVersion,
  sameInlined,
  newInput,
  sameReferences,
  versionMark,
  additions,
]

/** Between no `count`, `count` and `for_each` the addresses of instances change; Terraform itself moves to and from `count`. */
function instances({ kind, address, path, before, after }: AttributeChange, { moved }: CodeContext) {
  if (path !== 'for_each' || (kind !== 'resource' && kind !== 'module')) return undefined
  const turned = before === undefined || after === undefined
  return turned && !moved.has(address) ? 'breaking' : undefined
}

/** Arguments that cannot be changed on what exists: another value destroys and creates it. */
const REPLACING: Readonly<Record<string, RegExp>> = {
  aws_security_group: /^(?:description|name|name_prefix|vpc_id)$/,
  aws_iam_role: /^(?:name|name_prefix|path)$/,
  aws_iam_policy: /^(?:name|name_prefix|path|description)$/,
  aws_db_subnet_group: /^(?:name|name_prefix)$/,
  aws_subnet: /^(?:vpc_id|cidr_block|availability_zone)$/,
  aws_kms_alias: /^(?:name|name_prefix)$/,
}

/** Only where both values are literals is it certain that they differ. */
function replacing({ kind, address, path, before, after }: AttributeChange) {
  if (kind !== 'resource') return undefined
  const isOne = REPLACING[address.split('.', 1)[0] ?? '']?.test(path) === true
  return isOne && isLiteral(before) && isLiteral(after) ? 'breaking' : undefined
}

function isLiteral(text: string | undefined): boolean {
  return text !== undefined && /^(?:"(?:[^"\\$%]|\\.)*"|-?\d+(?:\.\d+)?|true|false)$/.test(text)
}

/** Arguments that decide how Terraform works, not what exists. */
const SETTINGS =
  /^(?:lifecycle\.(?:ignore_changes|create_before_destroy|precondition.*|postcondition.*)|timeouts\b.*|depends_on|tags|labels|response_export_values|locks|retry\b.*|(?:create|read|update|delete)_headers)$/

function settings({ kind, path }: AttributeChange) {
  if (kind === 'check') return 'minor'
  if (kind === 'var') return path.endsWith('error_message') ? 'patch' : 'minor'
  return SETTINGS.test(path) ? 'minor' : undefined
}

/** A text for people that no system acts on. */
function texts({ kind, path, address }: AttributeChange) {
  const isAddress = kind === 'moved' || kind === 'removed' || kind === 'import'
  if (isAddress) return 'minor'
  return kind === 'output' && path === 'depends_on' && address !== '' ? 'minor' : undefined
}

/** Another version of a nested module: within a major version it adds. */
function nestedVersion({ kind, path, before, after }: AttributeChange) {
  if (kind !== 'module' || before === undefined || after === undefined) return undefined
  const [old, now] = [before, after].map((text) => pinnedVersion(path, text))
  if (old === undefined || now === undefined || old.source !== now.source) return undefined
  const [oldFloor, nowFloor] = [floorOf(old.version), floorOf(now.version)]
  const isSameMajor = (oldFloor[0] ?? 0) === (nowFloor[0] ?? 0)
  return isSameMajor && compareVersions(nowFloor, oldFloor) >= 0 ? 'minor' : undefined
}

/** The version that a `version`, or the `ref` of a git source, names. */
function pinnedVersion(path: string, text: string) {
  const plain = text.replaceAll('"', '')
  if (path === 'version') return { source: '', version: plain }
  const [, source, version] = /^(.+)\?ref=(?:refs\/)?(?:tags\/)?(v?\d+(?:\.\d+)+)$/.exec(plain) ?? []
  return path === 'source' && source !== undefined && version !== undefined ? { source, version } : undefined
}

/** The same expression once locals are replaced by what they are. */
function sameInlined({ before, after }: AttributeChange, { locals }: CodeContext) {
  if (before === undefined || after === undefined || !isKept(before) || !isKept(after)) return undefined
  return inlined(before, locals.before) === inlined(after, locals.after) ? 'patch' : undefined
}

/**
 * What only new inputs bring in: with their defaults the module does what it did. The old text is a part of the new one,
 * or it is the default of the input that replaces it.
 */
function newInput({ before, after }: AttributeChange, { addedInputs, newInputs }: CodeContext) {
  if (after === undefined || !isKept(after)) return undefined
  const used = [...after.matchAll(/\bvar\.([\p{L}_][\p{L}\p{N}_-]*)/gu)].map(([, name = '']) => name)
  const fresh = used.filter((name) => newInputs.has(name))
  if (fresh.length === 0) return undefined
  if (before === undefined) return 'minor'
  const replaced = fresh.some((name) => JSON.stringify(addedInputs.get(name)?.default) === before)
  return replaced || isWithin(before, after) ? 'minor' : undefined
}

/** Whether all tokens of `part` are in `whole` in the same order. */
function isWithin(part: string, whole: string): boolean {
  if (!isKept(part)) return false
  const tokens: readonly string[] = whole.match(TOKEN) ?? []
  let at = 0
  for (const token of part.match(TOKEN) ?? []) {
    const found = tokens.indexOf(token, at)
    if (found === -1) return false
    at = found + 1
  }
  return true
}

/** What guards a reference against an absent instance, and what is given instead of one. */
const GUARDS =
  /\b(?:try|one|element|concat|join|compact|coalesce|coalescelist|flatten|tolist|toset|null|length|splat|list)\b|""|\[(?:\*|\d+|count\.index)?\]|[()[\],\s]|\b0\b/g

/** `concat(a.*.id, [""])[0]` became `try(a[0].id, null)`: it takes the same from the same place. */
function sameReferences({ before, after }: AttributeChange) {
  if (before === undefined || after === undefined || !isKept(before) || !isKept(after)) return undefined
  const [old, now] = [before, after].map((text) => text.replace(GUARDS, ''))
  return old === now && old !== '' ? 'minor' : undefined
}

/** A module that carries its own version as a literal, or tells it to its provider. */
function versionMark({ kind, path, before, after }: AttributeChange) {
  if (kind === 'terraform' && path.startsWith('provider_meta.')) return 'patch'
  const isVersion = (text = ''): boolean => /^"v?\d+(?:\.\d+)+(?:-[\w.]+)?"$/.test(text)
  return kind === 'local' && isVersion(before) && isVersion(after) ? 'patch' : undefined
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[\p{L}\p{N}_-]+|\S/gu

/** An argument that a block did not state before. */
function additions({ kind, path, before }: AttributeChange) {
  if (before !== undefined || path === 'count' || path === 'for_each') return undefined
  return kind === 'resource' || kind === 'data' || kind === 'module' ? 'minor' : undefined
}
