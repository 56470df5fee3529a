import { addTo, once } from '../../../server/plugin.ts'
import known from '../assets/products.json' with { type: 'json' }
import { stem } from './stemmer.ts'

const BETWEEN_NAMES = ' = '

/** Names of products by the provider that they belong to; '' for those that belong to none. */
export const PRODUCTS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(known).map(([provider, rows]) => [provider, rows.map(nameOf)]),
)

function nameOf(row: string): string {
  const end = row.indexOf(BETWEEN_NAMES)
  return end < 0 ? row : row.slice(0, end)
}

const all = once(() => new Set(Object.values(PRODUCTS).flat()))

/** Whether a word is the name of a product, and so is not misspelt. */
export function isProduct(word: string): boolean {
  return all().has(word)
}

/** By the stems of a product: its other names, and those of what serves it. */
const others = once(() => {
  const made = new Map<string, string[][]>()
  for (const row of Object.values(known).flat()) {
    if (!row.includes(BETWEEN_NAMES)) continue
    const [name = [], ...more] = row.split(BETWEEN_NAMES).map((one) => one.split(/[ -]/).map(stem))
    for (const other of more) addTo(made, name.join(' '), other)
  }
  return made
})

/**
 * The names, as stems, by which a module shows that it is about a product, or what serves it: as it is asked for, each
 * other name, and all of them written as one word ("botservice").
 */
export function shownAs(product: readonly string[]): readonly (readonly string[])[] {
  const names = [product, ...(others().get(product.join(' ')) ?? [])]
  return [...names, ...names.flatMap((name) => (name.length > 1 ? [[name.join('')]] : []))]
}
