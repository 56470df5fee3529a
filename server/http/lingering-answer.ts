import type { IncomingMessage, ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'

/** Time for a client to stop sending its body (mcp, section 4). */
const LINGER_MS = 1000

/**
 * Answers a request before its body is complete, and closes the connection at the end of the body or after 1 s. Closing
 * immediately would reset the connection while the client sends, and the client would lose the answer.
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
