import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import fc from 'fast-check'
import { FROM_SOURCES } from '../../../test/from-sources.ts'
import { dotProducts, openDotProducts } from './dot-products.ts'
import { similarity, similarityByRow } from './similarity.ts'

const dotProductsHere = () => dotProducts() ?? assert.fail('this Node.js has no WebAssembly with SIMD')

/** Zeros of both signs, numbers that tie, the least and the greatest ones. */
const number = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 2 ** -149, -(2 ** -149), 3.4028234663852886e38, -3.4028234663852886e38),
  fc.float({ noNaN: true, noDefaultInfinity: true }),
)
const numbers = (length: number) => fc.array(number, { minLength: length, maxLength: length })
const query = (dims: number) => numbers(dims).map((values) => Float32Array.from(values))

/** So many vectors, of which some are equal. */
const rows = (dims: number) =>
  fc.array(fc.oneof(numbers(dims), fc.constant(new Array<number>(dims).fill(0.25))), { maxLength: 9 })

const cases = fc
  .integer({ min: 1, max: 70 })
  .chain((dims) =>
    fc.record({ query: query(dims), vectors: rows(dims).map((all) => Float32Array.from(all.flat())) }),
  )

/** What the plain loop gives. */
function oneByOne(query: Float32Array, vectors: Float32Array, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, at) => similarity(vectors, at * query.length, query))
}

/** Compares bits: 0 and -0 differ. */
function bitsOf(values: Float64Array): BigUint64Array {
  return new BigUint64Array(values.buffer)
}

test('similarities of many vectors are bit by bit those of each', () => {
  fc.assert(
    fc.property(cases, ({ query, vectors }) => {
      const count = vectors.length / query.length
      const wanted = bitsOf(oneByOne(query, vectors, count))

      assert.deepEqual(bitsOf(similarityByRow(query, vectors, count)), wanted)
      const products = dotProductsHere()(query, vectors, count)
      assert.equal(products !== undefined, query.length % 4 === 0)
      if (products) assert.deepEqual(bitsOf(products), wanted)
    }),
  )
})

test('more vectors than fit in the memory of the module are compared piece by piece', () => {
  for (const dims of [384, 3072]) {
    const count = 200
    const vectors = Float32Array.from({ length: count * dims }, (_, at) => Math.sin(at))
    const query = vectors.slice(0, dims)

    const products = dotProductsHere()(query, vectors, count) ?? assert.fail()

    assert.deepEqual(bitsOf(products), bitsOf(oneByOne(query, vectors, count)))
  }
})

test('vectors that do not fit in the memory of the module are compared without it', () => {
  const dims = 20_000
  const vectors = Float32Array.from({ length: 2 * dims }, (_, at) => Math.cos(at))
  const query = vectors.slice(dims)

  assert.equal(dotProductsHere()(query, vectors, 2), undefined)
  assert.equal(dotProductsHere()(new Float32Array(0), vectors, 2), undefined)
  assert.deepEqual(similarityByRow(query, vectors, 2), oneByOne(query, vectors, 2))
})

test('a WebAssembly that is missing, or cannot compile or hold the module, is not used', () => {
  const refuses = class {
    constructor() {
      throw new RangeError('WebAssembly.Instance(): Out of memory')
    }
  }

  assert.equal(openDotProducts(undefined), undefined)
  assert.equal(openDotProducts({ Module: refuses, Instance: refuses } as never), undefined)
})

test('Node.js without WebAssembly gives the same similarities', () => {
  const dims = 384
  const script = `import { similarityByRow } from ${JSON.stringify(new URL('similarity.ts', import.meta.url))}
const vectors = Float32Array.from({ length: ${dims * 9} }, (_, at) => Math.sin(at))
const found = similarityByRow(vectors.slice(${dims}, ${dims * 2}), vectors, 9)
console.log(JSON.stringify({ engine: typeof WebAssembly, found: [...found] }))`
  const run = (...flags: string[]) => {
    const args = [...flags, ...FROM_SOURCES, '--input-type=module', '-e', script]
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    return stdout === '' ? assert.fail(stderr) : JSON.parse(stdout)
  }

  const [without, usual] = [run('--jitless'), run()]

  assert.deepEqual([without.engine, usual.engine], ['undefined', 'object'])
  assert.deepEqual(without.found, usual.found)
})
