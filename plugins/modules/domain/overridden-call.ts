/** A `module` block and what override files state of it. */
import type { GivenBlock } from './check.ts'

/** A block with what override files state of it; what they state is found at the line of the block. */
export function overridden(block: GivenBlock, overrides: readonly GivenBlock[]): GivenBlock {
  let now = block
  for (const override of overrides) if (override.name === block.name) now = withOverride(now, override)
  return now
}

function withOverride(
  block: GivenBlock,
  { inputs, source, version, isVersionLiteral = false, meta, providers }: GivenBlock,
): GivenBlock {
  const { line, own = new Set(block.inputs.map(({ name }) => name)) } = block
  const stated = new Set(inputs.map(({ name }) => name))
  const { faults: _, repeats: __, keys, ...kept } = block // an override may replace them
  const metaNames = new Set([...(block.meta?.keys() ?? []), ...(meta?.keys() ?? [])])
  // Terraform takes count where each file states one of the two, and refuses both in one block.
  if (metaNames.has('count') && !repeatsTwice(block.meta) && !repeatsTwice(meta)) metaNames.delete('for_each')
  return {
    ...kept,
    own,
    ...(source && block.source && { source: { ...source, line } }), // the block itself must have one
    ...(version !== undefined && { version, isVersionLiteral }),
    ...(providers && { providers }),
    ...(keys && metaNames.has('for_each') && !meta?.has('for_each') && { keys }),
    meta: new Map([...metaNames].map((name) => [name, block.meta?.get(name) ?? line])),
    inputs: [
      ...block.inputs.filter(({ name }) => !stated.has(name)),
      ...inputs.map((input) => ({ ...input, line })),
    ],
  }
}

function repeatsTwice(meta: GivenBlock['meta']): boolean {
  return meta?.has('count') === true && meta.has('for_each')
}
