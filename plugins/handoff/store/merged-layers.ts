import { type Layer, liveCount } from './layers.ts'
import { segmentOf } from './open-segment.ts'
import { createSegmentBuilder, SEGMENT_ROWS } from './segment.ts'

/** More small segments than this are not kept on disk: each costs a search and a start a look. */
const MAX_SMALL_SEGMENTS = 6

/**
 * The layers with the last ones, which are not saved, put together where they have as many files as the one before them.
 * Each write adds a segment, and a question asks all: of a thousand writes ten are left. A file is copied as often.
 */
export function withFewUnsaved(layers: readonly Layer[]): readonly Layer[] {
  let from = layers.length
  let size = 0
  for (let at = layers.length - 1; at >= 0; at--) {
    const layer = layers[at]
    if (!layer?.segment.bytes) break
    const live = liveCount(layer)
    const isLast = at === layers.length - 1
    if (!isLast && (live > size || size + live > SEGMENT_ROWS)) break
    from = at
    size += live
  }
  return layers.length - from < 2 ? layers : [...layers.slice(0, from), ...together(layers.slice(from))]
}

/**
 * The layers as they are worth saving: small segments are put together, from the smallest on, while the next one is not
 * larger than all before it, and where there are too many. So a file is copied a few times, however many are saved.
 */
export function withFewSmall(layers: readonly Layer[]): readonly Layer[] {
  const small = layers
    .map((layer) => ({ layer, live: liveCount(layer) }))
    .filter(({ live }) => live < SEGMENT_ROWS / 2)
    .sort((a, b) => a.live - b.live)
  let [taken, size] = [0, 0]
  for (const { layer, live } of small) {
    const areFew = small.length - taken <= MAX_SMALL_SEGMENTS
    if (areFew && !layer.segment.bytes && live > size) break
    taken += 1
    size += live
  }
  if (taken < 2) return layers
  const merged = small.slice(0, taken).map(({ layer }) => layer)
  const replaced = new Set(merged)
  return [...layers.filter((layer) => !replaced.has(layer)), ...together(merged)]
}

/** One layer of all, or more where they are too many for one segment. */
function together(layers: readonly Layer[]): readonly Layer[] {
  const merged: Layer[] = []
  let part: Layer[] = []
  let size = 0
  for (const layer of layers) {
    const live = liveCount(layer)
    if (live === 0) continue
    if (size + live > SEGMENT_ROWS) {
      merged.push(segmentWithAll(part, size))
      ;[part, size] = [[], 0]
    }
    part.push(layer)
    size += live
  }
  if (size > 0) merged.push(segmentWithAll(part, size))
  return merged
}

function segmentWithAll(layers: readonly Layer[], size: number): Layer {
  const builder = createSegmentBuilder(size)
  for (const { segment, replaced } of layers) builder.addSegment(segment, replaced)
  return { segment: segmentOf(Buffer.from(builder.bytes())), replaced: undefined }
}
