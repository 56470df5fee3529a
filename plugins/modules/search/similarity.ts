import { dotProducts } from './dot-products.ts'

/** The numbers of a query that are not 0, in the four sums in which `similarity` adds them. */
export interface UsedNumbers {
  readonly count: number
  readonly sums: readonly { readonly places: Int32Array; readonly values: Float64Array }[]
}

/** A query with more numbers than this share of its dimensions is compared number by number. */
const SPARSE_SHARE = 1 / 4
const SUMS = [0, 1, 2, 3] as const

/**
 * What a query uses of vectors: the built-in strategy gives a query two numbers for each of its words and concepts. The
 * others are 0, and a product with 0 adds nothing.
 */
export function usedNumbers(query: Float32Array): UsedNumbers {
  const used = [...query.keys()].filter((at) => query[at] !== 0)
  const whole = query.length - (query.length % SUMS.length)
  const sums = SUMS.map((sum) => {
    const places = Int32Array.from(used.filter((at) => (at < whole ? at % SUMS.length : 0) === sum))
    return { places, values: Float64Array.from(places, (at) => query[at] ?? 0) }
  })
  return { count: used.length, sums }
}

/** `similarity` to one query, bit by bit the same. */
export function similarityTo(query: Float32Array): (vectors: Float32Array, start: number) => number {
  const { count, sums } = usedNumbers(query)
  if (count > query.length * SPARSE_SHARE) return (vectors, start) => similarity(vectors, start, query)
  return (vectors, start) => {
    let whole = 0
    for (const { places, values } of sums) {
      let sum = 0
      for (let at = 0; at < places.length; at++)
        sum += (vectors[start + (places[at] ?? 0)] ?? 0) * (values[at] ?? 0)
      whole += sum
    }
    return whole
  }
}

/** `similarity` to each of the first `count` vectors, which follow one another. */
export function similarityByRow(query: Float32Array, vectors: Float32Array, count: number): Float64Array {
  const products = dotProducts()?.(query, vectors, count)
  if (products) return products
  const similar = similarityTo(query)
  const found = new Float64Array(count)
  for (let number = 0; number < count; number++) found[number] = similar(vectors, number * query.length)
  return found
}

/**
 * The similarity of the vectors with numbers below `count`, bit by bit as `similarity` gives it. `column`: the numbers that
 * they have at one place.
 */
export function similarityByColumn(
  { sums }: UsedNumbers,
  count: number,
  column: (place: number) => Float32Array,
): Float64Array {
  const whole = new Float64Array(count)
  const sum = new Float64Array(count)
  for (const { places, values } of sums) {
    if (places.length === 0) continue
    sum.fill(0)
    for (const [at, place] of places.entries()) addColumn(sum, column(place), values[at] ?? 0)
    addAll(whole, sum)
  }
  return whole
}

function addColumn(sum: Float64Array, column: Float32Array, value: number): void {
  for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + (column[at] ?? 0) * value
}

function addAll(whole: Float64Array, sum: Float64Array): void {
  for (let at = 0; at < whole.length; at++) whole[at] = (whole[at] ?? 0) + (sum[at] ?? 0)
}

/** The cosine of two vectors of length 1. Four accumulators keep the sums independent. */
export function similarity(vectors: Float32Array, start: number, query: Float32Array): number {
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  let i = 0
  const whole = query.length - (query.length % 4)
  for (; i < whole; i += 4) {
    const at = start + i
    // typed-array reads inside their bounds are numbers; the fallback is never taken
    a += (vectors[at] ?? 0) * (query[i] ?? 0)
    b += (vectors[at + 1] ?? 0) * (query[i + 1] ?? 0)
    c += (vectors[at + 2] ?? 0) * (query[i + 2] ?? 0)
    d += (vectors[at + 3] ?? 0) * (query[i + 3] ?? 0)
  }
  for (; i < query.length; i++) a += (vectors[start + i] ?? 0) * (query[i] ?? 0)
  return a + b + c + d
}
