/** What the code of two versions of a module shows beyond their interfaces. */
import { type Change, type ChangeClass, change } from './change.ts'
import { type AttributeChange, type CodeContext, classifyAttribute } from './diff-attribute.ts'
import { addressGone } from './diff-interface.ts'
import { plainLine } from './hcl-text.ts'
import {
  blocksByAddress,
  type CodeBlock,
  forgottenAddresses,
  isKept,
  type ModuleCode,
} from './module-code.ts'
import { computesOnly, isStateOnly } from './state-only.ts'
import type { ModuleSummary } from './summary.ts'

/** The code of both sides, and the summary of the newer one. */
export interface CodeSides {
  readonly summary: ModuleSummary
  readonly before: ModuleCode
  readonly after: ModuleCode
}

/** The changes of blocks, and of the files that they use. `shown` are the changes that the interface shows. */
export function codeChanges(sides: CodeSides, shown: readonly Change[]): Change[] {
  const changes = bodyChanges(sides, contextOf(sides, shown))
  return changes.length > 0 || shown.some((one) => !isText(one)) ? changes : formatChanges(sides)
}

function bodyChanges(sides: Pick<CodeSides, 'before' | 'after'>, context: CodeContext): Change[] {
  const before = blocksByAddress(sides.before)
  const after = blocksByAddress(sides.after)
  const addresses = [...new Set([...before.keys(), ...after.keys()])]
  return [
    ...addresses.flatMap((address) =>
      blockChanges(address, before.get(address), after.get(address), context),
    ),
    ...usedChanges(sides),
  ]
}

/** Whether a change is of a text that is not code. */
function isText({ code }: Change): boolean {
  return code === 'readme_changed'
}

function contextOf(sides: CodeSides, shown: readonly Change[]): CodeContext {
  const { summary } = sides
  const named = (code: string): string[] => shown.flatMap((one) => (one.code === code ? [one.subject] : []))
  const added = new Set(named('optional_input_added'))
  return {
    addedInputs: new Map(
      summary.variables.filter(({ name }) => added.has(name)).map((one) => [one.name, one]),
    ),
    newInputs: new Set([...added, ...named('required_input_added')]),
    moved: new Set(summary.moved.map(({ from }) => from.replace(/\[.*$/, ''))),
    locals: localsOf(sides),
  }
}

function localsOf({ before, after }: Pick<CodeSides, 'before' | 'after'>): CodeContext['locals'] {
  const textsOf = ({ blocks }: ModuleCode): ReadonlyMap<string, string> => {
    const locals = blocks.filter(({ address }) => address.startsWith('local.'))
    const texts = locals.flatMap(({ address, attributes }): [string, string][] =>
      isShown(attributes['value']) ? [[address, attributes['value']]] : [],
    )
    return new Map(texts)
  }
  return { before: textsOf(before), after: textsOf(after) }
}

function isShown(text: string | undefined): text is string {
  return text !== undefined && isKept(text)
}

/** Kinds of blocks by the start of their address; everything else is a resource. */
const KIND =
  /^(data|ephemeral|module|output|local|var|provider|moved|removed|import|check|file)\.|^(terraform)$/

/** How a block that comes or goes is classed; kinds that are not here are in the interface. */
const COMES: Readonly<Record<string, ChangeClass>> = {
  data: 'minor',
  ephemeral: 'minor',
  local: 'patch',
  provider: 'review',
  moved: 'patch',
  removed: 'minor',
  import: 'minor',
  check: 'minor',
  file: 'review',
}
const GOES: Readonly<Record<string, ChangeClass>> = {
  ...COMES,
  moved: 'minor',
}

function blockChanges(
  address: string,
  before: CodeBlock['attributes'] | undefined,
  after: CodeBlock['attributes'] | undefined,
  context: CodeContext,
): Change[] {
  const kind = kindOf(address)
  const shown = plainLine(address)
  if (before === undefined || after === undefined) {
    const rank = (before === undefined ? COMES : GOES)[kind]
    if (rank === undefined) return []
    const [code, what] = before === undefined ? ['block_added', 'is new'] : ['block_removed', 'was removed']
    return [change(rank, code, address, `${shown} ${what}.`)]
  }
  const found = differences(before, after).filter(({ path }) => !isInInterface(kind, path))
  const classed = found.map((one) => ({
    ...one,
    rank: classifyAttribute({ kind, address, ...one }, context),
  }))
  const ranks = [...new Set(classed.map(({ rank }) => rank))]
  return ranks.map((rank) =>
    blockChange(
      rank,
      address,
      classed.filter((one) => one.rank === rank),
    ),
  )
}

function kindOf(address: string): string {
  const found = KIND.exec(address)
  return found?.[1] ?? found?.[2] ?? 'resource'
}

/** Attributes that `interfaceChanges` compares by their meaning. */
const IN_INTERFACE: Readonly<Record<string, RegExp>> = {
  var: /^(?:type|default|nullable|description|deprecated)$/,
  output: /^(?:description|sensitive|deprecated)$/,
  terraform: /^(?:required_version|required_providers\b.*)$/,
}

function isInInterface(kind: string, path: string): boolean {
  return IN_INTERFACE[kind]?.test(path) ?? false
}

function differences(before: CodeBlock['attributes'], after: CodeBlock['attributes']): AttributeDifference[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return paths.flatMap((path) => {
    const [old, now] = [own(before, path), own(after, path)]
    return old === now ? [] : [{ path, before: old, after: now }]
  })
}

function own(attributes: CodeBlock['attributes'], path: string): string | undefined {
  return Object.hasOwn(attributes, path) ? attributes[path] : undefined
}

type AttributeDifference = Pick<AttributeChange, 'path' | 'before' | 'after'>

const SHOWN_ATTRIBUTES = 3
const SHOWN_CHARS = 60

function blockChange(rank: ChangeClass, address: string, found: readonly AttributeDifference[]): Change {
  const shown = found.slice(0, SHOWN_ATTRIBUTES).map(described)
  const more = found.length > shown.length ? [`and ${found.length - shown.length} more attributes`] : []
  return change(rank, 'block_changed', address, `${plainLine(address)}: ${[...shown, ...more].join('; ')}.`)
}

function described({ path, before, after }: AttributeDifference): string {
  const name = plainLine(path)
  if (before === undefined) return isShort(after) ? `${name} is new: ${plainLine(after)}` : `${name} is new`
  if (after === undefined) return `${name} was removed`
  return isShort(before) && isShort(after)
    ? `${name} changed from ${plainLine(before)} to ${plainLine(after)}`
    : `${name} changed`
}

function isShort(text: string | undefined): text is string {
  return isShown(text) && text.length <= SHOWN_CHARS
}

/** Templates, policies and nested modules of the repository. */
function usedChanges(sides: Pick<CodeSides, 'before' | 'after'>): Change[] {
  const { before, after } = sides
  return [...after.uses].flatMap(([path, digest]) => {
    const earlier = before.uses.get(path)
    if (earlier === undefined || earlier === digest) return []
    const [old, now] = [before.nested.get(path), after.nested.get(path)]
    if (old !== undefined && now !== undefined) return nestedChanges(path, old, now)
    const message = `The content of ${plainLine(path)}, which the module uses, changed.`
    return [change('review', 'used_file_changed', path, message)]
  })
}

/** What changed in a nested module. Its inputs and outputs are seen by the module only, which may set or use them. */
function nestedChanges(path: string, before: ModuleCode, after: ModuleCode): Change[] {
  const moved = after.blocks.filter(({ address }) => address.startsWith('moved.'))
  const absent = [...blocksByAddress(before).keys()].filter((address) => !blocksByAddress(after).has(address))
  const added = [...blocksByAddress(after).keys()].filter((address) => !blocksByAddress(before).has(address))
  const inputs = added.filter((address) => address.startsWith('var.')).map((address) => address.slice(4))
  const context: CodeContext = {
    addedInputs: new Map(),
    newInputs: new Set(inputs),
    moved: new Set(moved.map(({ address }) => address.slice(6).replace(/\[.*$/, ''))),
    locals: localsOf({ before, after }),
  }
  const lost = absent.filter(
    (address) => ['resource', 'module'].includes(kindOf(address)) && !context.moved.has(address),
  )
  const forgotten = forgottenAddresses(after)
  const found = [
    ...lost.map((address) => addressGone(address, isEmpty(address, before), forgotten)),
    ...added
      .filter((address) => ['resource', 'module'].includes(kindOf(address)))
      .map((address) =>
        change('minor', 'resource_added', address, `The resource ${plainLine(address)} is new.`),
      ),
    ...bodyChanges({ before, after }, context),
  ]
  if (found.length === 0) found.push(change('minor', 'used_file_changed', 'module', 'Its code changed.'))
  return found.map((one) => ({
    ...one,
    subject: `${path}: ${one.subject}`,
    message: `In ${plainLine(path)}: ${one.message}`,
  }))
}

/** Whether nothing outside the state was at an address. */
function isEmpty(address: string, code: ModuleCode): boolean {
  if (kindOf(address) !== 'module') return isStateOnly(address)
  return computesOnly(blocksByAddress(code).get(address)?.['source'] ?? '')
}

function formatChanges({ before, after }: Pick<CodeSides, 'before' | 'after'>): Change[] {
  const names = [...new Set([...before.files.keys(), ...after.files.keys()])]
  const changed = names.filter((name) => before.files.get(name) !== after.files.get(name))
  if (changed.length === 0) return []
  const shown = changed.slice(0, SHOWN_ATTRIBUTES).map(plainLine).join(', ')
  const message = `Only comments, formatting or the order of blocks changed in ${shown}${changed.length > SHOWN_ATTRIBUTES ? ', …' : ''}.`
  return [change('patch', 'format_changed', 'module', message)]
}
