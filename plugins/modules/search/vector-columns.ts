/** Columns that are made at one time: of each vector, what is next to one another in memory. */
const COLUMNS_AT_A_TIME = 16

/**
 * Vectors of `dims` numbers as bytes by column: the first number of each, then the second of each, and so on. Each piece
 * shares memory with the one before, because the columns of all vectors may be hundreds of megabytes.
 */
export function bytesByColumn(vectors: readonly Float32Array[], dims: number): Iterable<Uint8Array> {
  return {
    *[Symbol.iterator]() {
      const columns = new Float32Array(COLUMNS_AT_A_TIME * vectors.length)
      for (let first = 0; first < dims; first += COLUMNS_AT_A_TIME) {
        const width = Math.min(COLUMNS_AT_A_TIME, dims - first)
        for (const [number, vector] of vectors.entries())
          for (let column = 0; column < width; column++)
            columns[column * vectors.length + number] = vector[first + column] ?? 0
        yield new Uint8Array(columns.buffer, 0, width * vectors.length * Float32Array.BYTES_PER_ELEMENT)
      }
    },
  }
}

/** The first `count` vectors of such columns, one after the other. */
export function vectorsOfColumns(
  column: (place: number) => Float32Array,
  { count, dims }: { readonly count: number; readonly dims: number },
): Float32Array {
  const vectors = new Float32Array(count * dims)
  for (let place = 0; place < dims; place++) {
    const numbers = column(place)
    for (let number = 0; number < count; number++) vectors[number * dims + place] = numbers[number] ?? 0
  }
  return vectors
}
