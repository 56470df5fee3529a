import type { IncomingMessage, ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'

/** Time a client has to notice that its body is not wanted (mcp, section 4). */
const LINGER_MS = 1000

/**
 * Answers a request whose body is still coming, and ends the connection when the body did or after 1 s. Closing at
 * once would reset the connection under a client that still sends, and the answer would be lost with it.
 */
export async function lingeringAnswer(
  response: Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<Response> {
  if (incoming.complete) return response
  const body = Buffer.from(await response.arrayBuffer())
  outgoing.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    connection: 'close',
    'content-length': body.length,
  })
  outgoing.write(body)
  const close = (): void => {
    clearTimeout(timer)
    outgoing.end(() => outgoing.destroy())
  }
  const timer = setTimeout(close, LINGER_MS).unref()
  incoming.once('end', close)
  outgoing.once('close', () => clearTimeout(timer))
  incoming.resume()
  return RESPONSE_ALREADY_SENT
}
