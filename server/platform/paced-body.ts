import { nextTurn } from './turns.ts'

/** What is made and sent in one turn: a fraction of a millisecond of work. */
export const PIECE_LENGTH = 32 * 1024

/**
 * The body of a large response. All such bodies of the process share the turns of the event loop, one piece a turn in
 * the order in which they ask, so that other calls wait for one piece and not for one answer of every reader. `pieces`
 * is read when there is room for the next one, and ended when the client disconnects.
 */
export function pacedBody(pieces: Generator<Uint8Array | string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await nextTurn()
        const { done, value } = pieces.next()
        if (done) controller.close()
        else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
      },
      cancel() {
        pieces.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Parts of a text that is encoded already, without copying it. */
export function* slicesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_LENGTH) yield bytes.subarray(at, at + PIECE_LENGTH)
}
