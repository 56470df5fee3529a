import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { cancelledId } from './admission.ts'
import { LOCAL_CALLER } from './caller.ts'
import type { Door } from './door.ts'
import { type ExtraRequest, extraContext, extraRequestOf, watched } from './extras.ts'
import { type Listen, openListen, updated } from './listen.ts'
import type { Outlet } from './outlet.ts'
import { asProtocolError } from './protocol-errors.ts'
import { createWatch } from './watch.ts'

/** The methods of 2026-07-28 that we implement over stdio, where the connection is the stream. */
export interface StdioExtras {
  /** True if it took the message; a request is answered later, followed by a call of `answered`. */
  take(message: JSONRPCMessage): boolean
  /** Sends the final message of every open listen and stops watching. */
  close(): void
}

/** Creates the methods without subscriptions; the owner of the connection closes them. */
export function createStdioExtras(
  door: Door,
  outlet: Outlet,
  answered: (id: string | number) => void,
): StdioExtras {
  const closing = new AbortController()
  const listens = new Map<string, Listen>()
  /** Listens whose filter is being checked; they count, because a burst would otherwise exceed the maximum. */
  const opening = new Map<string, ExtraRequest>()
  const watch = createWatch((uri) => outlet.hint(`resource ${uri}`, () => updated(uri)))

  const answer = async (request: ExtraRequest): Promise<void> => {
    try {
      await (request.method === 'subscriptions/listen' ? listen(request) : watchUri(request))
    } catch (thrown) {
      const at = { log: door.log, signal: closing.signal }
      const { code, message, data } = asProtocolError(thrown, at, request.method)
      const error = { code, message, ...(data !== undefined && { data }) }
      await outlet.send({ jsonrpc: '2.0', id: request.id, error })
    }
  }
  const watchUri = async (request: ExtraRequest): Promise<void> => {
    const ctx = extraContext(door, { ...LOCAL_CALLER, signal: closing.signal }, request)
    await outlet.send(await watched(watch, { door, catalog: await door.catalog(), ctx }, request))
  }
  const listen = async (request: ExtraRequest): Promise<void> => {
    const ctx = extraContext(door, { ...LOCAL_CALLER, signal: closing.signal }, request)
    const key = JSON.stringify(request.id)
    const count = listens.size + opening.size
    opening.set(key, request)
    const isCancelled = (): boolean => opening.get(key) !== request
    try {
      const opened = await openListen(await door.catalog(), ctx, request, {
        count,
        say: (about, message) => outlet.hint(`listen ${key} ${about}`, message),
      })
      if (isCancelled()) return opened.close()
      listens.get(key)?.close()
      listens.set(key, opened)
      opening.delete(key)
      await outlet.send(opened.acknowledgement)
    } catch (thrown) {
      if (isCancelled()) return // a cancelled request gets no answer
      opening.delete(key)
      throw thrown
    }
  }

  return {
    take(message) {
      const ending = cancelledId(message)
      if (ending !== undefined) {
        const key = JSON.stringify(ending)
        listens.get(key)?.close()
        return opening.delete(key) || listens.delete(key)
      }
      const request = extraRequestOf(message)
      if (!request) return false
      answer(request)
        .catch((error: unknown) => door.log.debug('answer not written', { error }))
        .finally(() => answered(request.id))
      return true
    },
    close() {
      closing.abort()
      watch.close()
      for (const open of listens.values()) {
        open.close()
        outlet.send(open.finalMessage).catch(() => undefined) // the outlet reports a broken pipe
      }
      listens.clear()
    },
  }
}
