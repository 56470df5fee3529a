import { endianness } from 'node:os'
import { once } from '../../../server/plugin.ts'

/**
 * The similarity of a query to each of the first `count` vectors, which follow one another: bit by bit as `similarity` adds
 * it, two of its four sums at a time in the registers of the processor. Undefined for vectors of another size than models
 * make: not a multiple of four numbers, or more than fit in the memory of the module.
 */
export type DotProducts = (
  query: Float32Array,
  vectors: Float32Array,
  count: number,
) => Float64Array | undefined

/** What is used of `WebAssembly`. */
interface Engine {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: Readonly<Record<string, unknown>> }
}

/** Made at the first use. */
export const dotProducts: () => DotProducts | undefined = once(() =>
  openDotProducts((globalThis as { readonly WebAssembly?: Engine }).WebAssembly),
)

/** Undefined where there is no WebAssembly (`node --jitless`), no SIMD in it, or no address space for its memory. */
export function openDotProducts(engine: Engine | undefined): DotProducts | undefined {
  if (!engine || endianness() !== 'LE') return undefined // WebAssembly reads numbers in this order everywhere
  try {
    const { memory, dot } = new engine.Instance(new engine.Module(PROGRAM)).exports as unknown as Program
    return (query, vectors, count) => products({ memory, dot }, query, vectors, count)
  } catch {
    return undefined // the plain loop gives the same
  }
}

/** The exports of `PROGRAM`. */
interface Program {
  readonly memory: { readonly buffer: ArrayBuffer }
  /** Of the vector at `row` with the query at 0, of which each number has 64 bits. */
  dot(row: number, queryEnd: number): number
}

/**
 * Vectors are copied behind the query, as many at a time as fit. They stay in the cache of the processor, the memory of the
 * module is small, and vectors may lie where they were read.
 */
function products(
  { memory, dot }: Program,
  query: Float32Array,
  vectors: Float32Array,
  count: number,
): Float64Array | undefined {
  const dims = query.length
  const queryEnd = dims * Float64Array.BYTES_PER_ELEMENT
  const rowBytes = dims * Float32Array.BYTES_PER_ELEMENT
  const rows = Math.floor((memory.buffer.byteLength - queryEnd) / rowBytes)
  if (dims === 0 || dims % 4 !== 0 || rows < 1) return undefined
  new Float64Array(memory.buffer, 0, dims).set(query)
  const held = new Float32Array(memory.buffer, queryEnd, rows * dims)
  const found = new Float64Array(count)
  for (let first = 0; first < count; first += rows) {
    const end = Math.min(first + rows, count)
    held.set(vectors.subarray(first * dims, end * dims))
    for (let row = first, at = queryEnd; row < end; row++, at += rowBytes) found[row] = dot(at, queryEnd)
  }
  return found
}

const [I32, F64, V128] = [0x7f, 0x7c, 0x7b]
const [ROW, QUERY_END, QUERY, AB, CD] = [0, 1, 2, 3, 4]

/** `(func (export "dot") (param $row i32) (param $queryEnd i32) (result f64) (local $query i32) (local $ab $cd v128)` */
const DOT = [
  [2, 1, I32, 2, V128],
  [0x03, 0x40], //                            loop
  [0x20, AB], //                                local.get $ab
  [0x20, QUERY, 0xfd, 0x00, 4, 0], //           (v128.load (local.get $query))
  [0x20, ROW, 0xfd, 0x5d, 3, 0, 0xfd, 0x5f], // (f64x2.promote_low_f32x4 (v128.load64_zero (local.get $row)))
  [0xfd, 0xf2, 0x01, 0xfd, 0xf0, 0x01], //      f64x2.mul f64x2.add
  [0x21, AB], //                                local.set $ab
  [0x20, CD], //                                local.get $cd
  [0x20, QUERY, 0xfd, 0x00, 4, 16], //          (v128.load offset=16 (local.get $query))
  [0x20, ROW, 0xfd, 0x5d, 3, 8, 0xfd, 0x5f], // (f64x2.promote_low_f32x4 (v128.load64_zero offset=8 (local.get $row)))
  [0xfd, 0xf2, 0x01, 0xfd, 0xf0, 0x01], //      f64x2.mul f64x2.add
  [0x21, CD], //                                local.set $cd
  [0x20, ROW, 0x41, 16, 0x6a, 0x21, ROW], //    (local.set $row (i32.add (local.get $row) (i32.const 16)))
  [0x20, QUERY, 0x41, 32, 0x6a, 0x22, QUERY], //(local.tee $query (i32.add (local.get $query) (i32.const 32)))
  [0x20, QUERY_END, 0x49, 0x0d, 0], //          (br_if 0 (i32.lt_u (local.get $queryEnd)))
  [0x0b], //                                  end
  [0x20, AB, 0xfd, 0x21, 0], //               (f64x2.extract_lane 0 (local.get $ab))
  [0x20, AB, 0xfd, 0x21, 1, 0xa0], //         (f64x2.extract_lane 1 (local.get $ab)) f64.add
  [0x20, CD, 0xfd, 0x21, 0, 0xa0], //         (f64x2.extract_lane 0 (local.get $cd)) f64.add
  [0x20, CD, 0xfd, 0x21, 1, 0xa0], //         (f64x2.extract_lane 1 (local.get $cd)) f64.add
  [0x0b],
].flat()

/** `(module (memory (export "memory") 2) (func (export "dot") …))`: each section with its number and length. */
const PROGRAM = Uint8Array.from(
  [
    [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    [1, 7, 1, 0x60, 2, I32, I32, 1, F64], // the type of `dot`
    [3, 2, 1, 0], // one function, of that type
    [5, 3, 1, 0, 2], // one memory of 2 pages of 64 KiB
    [7, 16, 2, 6, ...Buffer.from('memory'), 2, 0, 3, ...Buffer.from('dot'), 0, 0],
    [10, DOT.length + 2, 1, DOT.length, ...DOT],
  ].flat(),
)
