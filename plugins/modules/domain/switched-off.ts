/** What a call leaves out of a module by switching inputs off. */
import type { GivenBlock } from './check.ts'
import { inlined } from './inlined-locals.ts'
import { blocksByAddress, isKept, type ModuleCode } from './module-code.ts'
import type { ModuleSummary } from './summary.ts'

/** The part of a module that a call switches off, from 0 to 1. */
export type SwitchedOff = (call: Pick<GivenBlock, 'inputs'>) => number

/** Inputs of nested modules that switch them off. */
const SWITCH = /^(?:create|enable|enabled)(?:_|$)/

/**
 * Prepares a module for several calls. An input switches off what it guards by `count` or `for_each`, or in a nested
 * module, where it is on by default and the call says `false`. Counted are resources and nested modules, or outputs, of
 * which more is off. Without code nothing is known to be off.
 */
export function createSwitchedOff(
  { variables }: Pick<ModuleSummary, 'variables'>,
  code: ModuleCode | undefined,
): SwitchedOff {
  const on = new Set(variables.filter((input) => input.default === true).map(({ name }) => name))
  const { guards, outputs } = partsOf(code)
  return ({ inputs }) => {
    const off = new Set(
      inputs
        .filter(({ name, value }) => on.has(name) && value.kind === 'literal' && value.value === false)
        .map(({ name }) => name),
    )
    if (off.size === 0) return 0
    const missing = new Set(
      [...guards].filter(([, by]) => by.some((name) => off.has(name))).map(([address]) => address),
    )
    const empty = outputs.filter((used) => used.every((address) => missing.has(address)))
    return Math.max(share(missing.size, guards.size), share(empty.length, outputs.length))
  }
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}

interface Parts {
  /** Address of each resource and nested module, with the inputs without which it is not there. */
  readonly guards: ReadonlyMap<string, readonly string[]>
  /** The addresses that each output takes its value from. */
  readonly outputs: readonly (readonly string[])[]
}

function partsOf(code: ModuleCode | undefined): Parts {
  const blocks = code === undefined ? [] : [...blocksByAddress(code)]
  const locals = new Map(
    blocks.flatMap(([address, { value }]) => (value === undefined ? [] : [[address, value]])),
  )
  const guards = new Map(
    blocks
      .filter(([address]) => isMade(address))
      .map(([address, attributes]) => [address, guardsIn(address, attributes, locals)]),
  )
  const outputs = blocks
    .filter(([address]) => address.startsWith('output.'))
    .map(([, { value = '' }]) => madeIn(inlined(value, locals), guards))
  return { guards, outputs: outputs.filter((used) => used.length > 0) }
}

/** A resource (`aws_vpc.this`) or a nested module. */
function isMade(address: string): boolean {
  return address.startsWith('module.') || /^[a-z][a-z0-9]*_\w+\.[^.]+$/.test(address)
}

function guardsIn(
  address: string,
  attributes: Readonly<Record<string, string>>,
  locals: ReadonlyMap<string, string>,
): readonly string[] {
  const isModule = address.startsWith('module.')
  return Object.entries(attributes)
    .filter(([name]) => name === 'count' || name === 'for_each' || (isModule && SWITCH.test(name)))
    .flatMap(([, text]) => (isKept(text) ? neededIn(inlined(text, locals)) : []))
}

/** The inputs that must be true for a condition: none of a choice (`a || b`), and none that is negated. */
function neededIn(condition: string): readonly string[] {
  const sure = condition.replace(/\([^()]*\|\|[^()]*\)/g, '')
  if (sure.includes('||')) return []
  return [...sure.matchAll(/(?<![!\w.])var\.([\p{L}_][\p{L}\p{N}_-]*)(?!\?0)/gu)].map(([, name = '']) => name)
}

function madeIn(text: string, made: ReadonlyMap<string, unknown>): readonly string[] {
  const named = [...text.matchAll(/(?<![\w.])[\p{L}_][\p{L}\p{N}_-]*\.[\p{L}_][\p{L}\p{N}_-]*/gu)]
  return [...new Set(named.map(([address]) => address))].filter((address) => made.has(address))
}
