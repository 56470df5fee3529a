/** What the arguments of a block take from the configuration around it. */
import type { Block } from './body.ts'
import { codeOnly } from './output-uses.ts'

const NAME = '[\\p{L}_][\\p{L}\\p{N}_-]*'
const PATH = new RegExp(`(?<![\\p{L}\\p{N}_.-])(${NAME})((?:\\.${NAME})+)`, 'gu')
const ITERATORS = new RegExp(`(?<![\\p{L}\\p{N}_.-])for\\s+(${NAME})(?:\\s*,\\s*(${NAME}))?\\s+in\\b`, 'gu')
/** How many names after the first one say what is meant; of any other first name with `_`, a type of resource, one. */
const PARTS: ReadonlyMap<string, number> = new Map([
  ['var', 1],
  ['local', 1],
  ['module', 2],
  ['data', 2],
])

/** Names outside of the block, in their order: `local.name`, `module.net.id`, `data.aws_region.here`; of `providers` its aliases. */
export function referencesOf({ body }: Block): readonly string[] {
  const found = new Set<string>()
  for (const [argument, attribute] of body.attributes) {
    if (attribute.kind !== 'source') continue
    const code = codeOnly(attribute.text)
    const own = new Set([...code.matchAll(ITERATORS)].flatMap(([, one, other]) => [one, other]))
    for (const [, root = '', rest = ''] of code.matchAll(PATH)) {
      const isResource = root.includes('_') || argument === 'providers'
      const parts = PARTS.get(root) ?? (isResource ? 1 : 0)
      if (parts > 0 && !own.has(root))
        found.add([root, ...rest.slice(1).split('.').slice(0, parts)].join('.'))
    }
  }
  return [...found]
}
