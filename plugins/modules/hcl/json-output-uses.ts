/** Where a `.tf.json` file reads the outputs of the modules that its configuration calls. */
import type { Pieces } from '../../../server/plugin.ts'
import { addTo } from '../../../server/plugin.ts'
import type { Json } from '../domain/summary.ts'
import type { OutputUse } from '../domain/upgrade.ts'
import type { Body } from './body.ts'
import { readJsonModule } from './json-module.ts'
import { usesInTemplate } from './output-uses.ts'

/** As `readingOutputUses` for JSON, which has no lines: each output is read once, at line 1. */
export function* readingJsonOutputUses(text: string): Pieces<ReadonlyMap<string, readonly OutputUse[]>> {
  const module = readJsonModule(text)
  const found = new Map<string, OutputUse[]>()
  if (module.kind === 'refused') return found
  const seen = new Set<string>()
  for (const template of templatesOf(module.body)) {
    yield
    for (const { call, output, isTried } of usesInTemplate(template)) {
      const key = `${call}.${output} ${isTried}`
      if (seen.has(key)) continue
      seen.add(key)
      addTo(found, call, { name: output, line: 1, ...(isTried && { isTried }) })
    }
  }
  return found
}

/** Terraform evaluates no templates in these blocks, or they hold addresses of resources. */
const LITERAL_BLOCKS: ReadonlySet<string> = new Set(['variable', 'terraform', 'moved', 'removed'])
/** Arguments of which the same is true, by their block. */
const LITERAL_ARGUMENTS: ReadonlyMap<string, string> = new Map([
  ['output', 'description'],
  ['import', 'to'],
])

function* templatesOf(body: Body, type = ''): Generator<string> {
  for (const [name, attribute] of body.attributes) {
    // Blocks that JSON is read without are attributes of the file.
    const isLiteral = type === '' ? LITERAL_BLOCKS.has(name) : LITERAL_ARGUMENTS.get(type) === name
    if (attribute.kind === 'json' && !isLiteral) yield* templatesIn(attribute.value, type === '' ? name : '')
  }
  for (const block of body.blocks)
    if (!LITERAL_BLOCKS.has(block.type)) yield* templatesOf(block.body, block.type)
}

function* templatesIn(value: Json, type: string): Generator<string> {
  if (typeof value === 'string') {
    if (value.includes('module.')) yield value
  } else if (value !== null && typeof value === 'object')
    for (const [key, inner] of Object.entries(value)) {
      if (key === '//' || LITERAL_ARGUMENTS.get(type) === key) continue
      if (key.includes('module.')) yield key
      yield* templatesIn(inner, type)
    }
}
