import { SatchelError } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'

const TRIES = 3

export interface ChromaPlace {
  /** A host name, or `https://…` for TLS. */
  readonly host: string
  readonly port: number
  readonly collection: string
}

/** The calls that check a server before its first use. */
interface Greeted {
  heartbeat(): Promise<unknown>
}

/** Runs one call of the server; retries where that may help, and converts its errors. */
export type Reach = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Connects to the server; checks once that it has the API of this client.
 * Errors of the calls: `unavailable`/`vector_store_unreachable`; `conflict`/`embedding_mismatch` for another dimension.
 */
export function reachServer(client: Greeted, place: ChromaPlace): Reach {
  let greeted: Promise<void> | undefined
  return async (work) => {
    greeted ??= greet(client, place)
    await greeted.catch((thrown: unknown) => {
      greeted = undefined
      throw thrown
    })
    return withRetries(work, place)
  }
}

/** Older servers have no `/api/v2`, and anything else may listen there. */
async function greet(client: Greeted, place: ChromaPlace): Promise<void> {
  try {
    const beat: unknown = await withRetries(() => client.heartbeat(), place)
    if (typeof beat === 'number') return
  } catch (thrown) {
    if (thrown instanceof SatchelError) throw thrown
    throw refusalAt('vector_server_unknown', place, thrown)
  }
  throw refusalAt('vector_server_unknown', place, undefined)
}

/** Every call here may be repeated: upserts, deletes and updates name their records. */
async function withRetries<T>(work: () => Promise<T>, place: ChromaPlace): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (thrown) {
      const told = finalError(thrown, place)
      if (told) throw told
      if (!isPassing(thrown)) throw thrown
      if (attempt === TRIES) throw refusalAt('vector_store_unreachable', place, thrown)
    }
  }
}

/** Errors that a retry does not change and a caller can act on. */
function finalError(thrown: unknown, place: ChromaPlace): SatchelError | undefined {
  if (/dimension/i.test(messageOf(thrown))) return refusals.dimension_mismatch({ cause: thrown })
  const isRefused = isNamed(thrown, ['ChromaAuthError', 'ChromaForbiddenError'])
  return isRefused ? refusalAt('vector_server_refuses', place, thrown) : undefined
}

function isPassing(thrown: unknown): boolean {
  return isNamed(thrown, ['ChromaConnectionError']) || /\b5\d\d\b|server error/i.test(messageOf(thrown))
}

/** The client's errors by their names: importing their classes would load it. */
function isNamed(thrown: unknown, names: readonly string[]): boolean {
  return thrown instanceof Error && names.includes(thrown.name)
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : ''
}

function refusalAt(
  row: 'vector_store_unreachable' | 'vector_server_unknown' | 'vector_server_refuses',
  { host, port }: ChromaPlace,
  cause: unknown,
): SatchelError {
  return refusals[row]({ host, port }, { details: { host, port }, cause })
}
