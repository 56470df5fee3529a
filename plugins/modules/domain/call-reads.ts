/** What the readings of `module.name` in a configuration take: outputs of the call, or nothing that there is. */
import { addTo } from '../../../server/plugin.ts'
import type { CheckFinding, GivenBlock } from './check.ts'
import type { ReadOutput } from './check-call.ts'
import type { PlacedRead } from './configuration-names.ts'
import type { Step } from './expression.ts'
import { plainLine } from './hcl-text.ts'
import { literalKey } from './names-read.ts'

/** The outputs that are read of a call, and readings that go past its instances. */
export interface CallReads {
  readonly outputs: readonly ReadOutput[]
  readonly faults: readonly CheckFinding[]
}

/** The readings of each call, by its name. */
export function readsByCall(reads: readonly PlacedRead[]): ReadonlyMap<string, readonly PlacedRead[]> {
  const found = new Map<string, PlacedRead[]>()
  for (const read of reads) {
    const [first] = read.steps
    if (read.root !== 'module' || first?.kind !== 'attribute' || read.isAddress) continue
    addTo(found, first.name, read)
  }
  return found
}

/** Sorts the readings of a call by what they take of it. */
export function callReads(block: GivenBlock, reads: readonly PlacedRead[]): CallReads {
  const outputs: ReadOutput[] = []
  const faults: CheckFinding[] = []
  for (const read of reads) {
    const { line, file, isTried } = read
    const place = file === undefined ? {} : { file }
    const taken = takenOf(block, read.steps.slice(1), read)
    if (taken?.kind === 'output')
      outputs.push({ name: taken.name, line, ...place, ...(isTried && { isTried }) })
    if (taken?.kind === 'fault' && isTried !== true && !read.isConditional)
      faults.push({ line, code: 'wrong_index', message: taken.message, ...(file !== block.file && place) })
  }
  return { outputs, faults }
}

type Taken =
  | { readonly kind: 'output'; readonly name: string }
  | { readonly kind: 'fault'; readonly message: string }
  | undefined

/** The steps are those after the name of the call; undefined: not known, or all of it. */
function takenOf(block: GivenBlock, steps: readonly Step[], read: PlacedRead): Taken {
  const [first, second] = steps
  if (first === undefined) return undefined
  const { meta = new Map<string, number>() } = block
  const isRepeated = meta.has('count') || meta.has('for_each')
  if (read.isElement) return isRepeated ? outputAt(first) : undefined
  if (!isRepeated) return takenOfOne(block, first, second)
  if (meta.has('count') && meta.has('for_each')) return undefined
  if (meta.has('count')) return takenOfList(block, first, second)
  const taken = takenOfMap(block, steps)
  // What is around it may look first whether the key is there.
  return taken?.kind === 'fault' && read.isOptional ? undefined : taken
}

function outputAt(step: Step | undefined): Taken {
  if (step?.kind === 'attribute') return { kind: 'output', name: step.name }
  const key = literalKey(step)
  return typeof key === 'string' ? { kind: 'output', name: key } : undefined
}

function takenOfOne({ name }: GivenBlock, first: Step, second: Step | undefined): Taken {
  if (first.kind === 'splat') return outputAt(second)
  if (typeof literalKey(first) !== 'number') return outputAt(first)
  const address = `module.${plainLine(name)}`
  const message = `The block of ${address} has neither count nor for_each, so there is no ${address}[${literalKey(first)}]. Write ${address}${shownOutput(second)} without an index.`
  return { kind: 'fault', message }
}

function takenOfList({ name }: GivenBlock, first: Step, second: Step | undefined): Taken {
  const address = `module.${plainLine(name)}`
  if (first.kind === 'attribute') {
    const output = plainLine(first.name)
    const message = `The block of ${address} has count, so ${address} is a list. Write ${address}[0].${output} for its first, or ${address}[*].${output} for all.`
    return { kind: 'fault', message }
  }
  const key = literalKey(first)
  if (typeof key !== 'string' || /^\s*[+-]?[\d.]/.test(key)) return outputAt(second)
  const message = `The block of ${address} has count, so ${address} takes numbers: ${address}[0]${shownOutput(second)}.`
  return { kind: 'fault', message }
}

/** An attribute of such a call is the key of an instance; which there are is known where they are written out. */
function takenOfMap(block: GivenBlock, [first, second, third]: readonly Step[]): Taken {
  const { name, keys } = block
  if (first?.kind === 'splat')
    return second?.kind === 'attribute' ? takenOfAll(block, second, third) : undefined
  if (first === undefined) return undefined
  const key = first.kind === 'attribute' ? first.name : literalKey(first)
  if (keys === undefined || key === undefined) return first.kind === 'index' ? outputAt(second) : undefined
  if (keys.includes(String(key))) return outputAt(second)
  const address = `module.${plainLine(name)}`
  const output = first.kind === 'attribute' ? `.${plainLine(first.name)}` : shownOutput(second)
  const some =
    keys[0] === undefined ? '' : ` Write ${address}[${plainLine(JSON.stringify(keys[0]))}]${output}.`
  const message = `The for_each of ${address} has no key "${plainLine(String(key))}".${some}`
  return { kind: 'fault', message }
}

/** `[*]` takes a map as the one element of a list. */
function takenOfAll(
  { name, keys }: GivenBlock,
  { name: key }: Step & { kind: 'attribute' },
  next: Step | undefined,
): Taken {
  if (keys === undefined) return undefined
  if (keys.includes(key)) return outputAt(next)
  const address = `module.${plainLine(name)}`
  const message = `The block of ${address} has for_each, so ${address} is a map and [*] does not go to its instances. Write values(${address})[*].${plainLine(key)}.`
  return { kind: 'fault', message }
}

function shownOutput(step: Step | undefined): string {
  return step?.kind === 'attribute' ? `.${plainLine(step.name)}` : ''
}
