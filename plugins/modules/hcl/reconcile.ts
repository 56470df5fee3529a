/** Combines the results of our reader and of the reference for one file. */
import { grouped } from '../../../server/plugin.ts'
import { holdsExpression } from './attribute.ts'
import type { Attribute, Block, Body } from './body.ts'

/** Our body with the values of `unsure` attributes taken from the reference where it has a literal for them. */
export function withReferenceValues(ours: Body, theirs: Body, unsure: ReadonlyMap<Attribute, string>): Body {
  const blocks = pairBlocks(ours.blocks, theirs.blocks).map(({ block, mate }) =>
    mate === undefined ? block : { ...block, body: withReferenceValues(block.body, mate.body, unsure) },
  )
  const attributes = new Map<string, Attribute>()
  for (const [name, attribute] of ours.attributes) {
    const mate = unsure.has(attribute) ? theirs.attributes.get(name) : undefined
    attributes.set(name, mate === undefined ? attribute : preferValue(attribute, mate))
  }
  return { attributes, blocks }
}

/** The reference's structure in our order and with our lines, where type, labels and occurrence match. */
export function withReferenceStructure(ours: Body, theirs: Body): Body {
  const known = new Map(pairBlocks(ours.blocks, theirs.blocks).map(({ block, mate }) => [mate, block]))
  const order = new Map([...ours.blocks].map((block, index) => [block, index]))
  const placed = theirs.blocks.map((block) => {
    const mate = known.get(block)
    const body = withReferenceStructure(mate?.body ?? { attributes: new Map(), blocks: [] }, block.body)
    const place =
      mate === undefined ? Number.POSITIVE_INFINITY : (order.get(mate) ?? Number.POSITIVE_INFINITY)
    return { place, block: { ...block, ...linesOf(mate), body } }
  })
  const blocks = placed
    .sort((a, b) => (a.place === b.place ? 0 : a.place - b.place))
    .map(({ block }) => block)
  return { attributes: structureAttributes(ours, theirs), blocks }
}

function structureAttributes(ours: Body, theirs: Body): Map<string, Attribute> {
  const names = [...ours.attributes.keys(), ...theirs.attributes.keys()].filter((name) =>
    theirs.attributes.has(name),
  )
  const attributes = new Map<string, Attribute>()
  for (const name of names) {
    const their = theirs.attributes.get(name)
    const our = ours.attributes.get(name)
    if (their !== undefined) attributes.set(name, our === undefined ? their : preferValue(our, their))
  }
  return attributes
}

/** Literals from the reference; expressions as written in the source. Objects of providers hold both. */
function preferValue(our: Attribute, their: Attribute): Attribute {
  if (their.kind !== 'json' || our.kind !== 'source') return our
  const isObject = their.value !== null && typeof their.value === 'object'
  if (holdsExpression(their.value) && !(isObject && our.text.startsWith('{'))) return our
  return { kind: 'json', value: their.value, line: our.line }
}

function linesOf(block: Block | undefined): { line?: number; endLine?: number } {
  if (block?.line === undefined || block.endLine === undefined) return {}
  return { line: block.line, endLine: block.endLine }
}

/** Each of our blocks with the reference's block of the same type, labels and occurrence. */
function pairBlocks(
  ours: readonly Block[],
  theirs: readonly Block[],
): { block: Block; mate: Block | undefined }[] {
  const keyOf = ({ type, labels }: Block): string => JSON.stringify([type, ...labels])
  const waiting = grouped(theirs, keyOf)
  return ours.map((block) => ({ block, mate: waiting.get(keyOf(block))?.shift() }))
}
