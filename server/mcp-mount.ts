import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from './contract/advanced/principal.ts'
import type { SatchelError } from './contract/errors.ts'

/** One HTTP request to the MCP door. Host and Origin are checked; credentials and body are not. */
export interface McpExchange {
  readonly listener: string
  readonly request: Request
  readonly incoming: IncomingMessage
  /** For streams: write here and answer with `alreadySent()`. */
  readonly outgoing: ServerResponse
  /** Aborts when the client disconnects, or when the grace period of a closing listener ends. */
  readonly signal: AbortSignal
  /** Errors: `unauthorized`. */
  authenticate(): Promise<Principal>
  /** The value of a parameter of the query; undefined: it is absent. Errors: `invalid`/`bad_request` for two of them. */
  parameter(name: string): string | undefined
  /** The capped, parsed JSON body. Errors: `invalid`/`media_type`, `body_timeout`, `body_not_json`, `too_deep`; `too_large`. */
  readBody(maxBytes: number): Promise<unknown>
  /** Calls `action` when this principal loses its rights. Returns the function that removes it. */
  onCallerEnded(principalId: string, action: () => void): () => void
  /** Called before a stream is opened. Errors: `unavailable`/`too_many_streams`. */
  requireStreamPlace(): void
  /** Returns the response for a request answered through `outgoing`. */
  alreadySent(): Response
}

/** The MCP door as `run.ts` passes it to the HTTP door, which does not import MCP. */
export interface McpMount {
  /** `ALL` matches every method. */
  readonly routes: readonly { readonly method: 'GET' | 'POST' | 'ALL'; readonly path: `/${string}` }[]
  handle(exchange: McpExchange): Promise<Response>
  /** Creates the answer to a request refused before `handle`, as the protocol requires. */
  refuse(error: SatchelError): Response
  /** Ends the streams of one listener with their final messages; calls in flight may still answer. */
  endStreams(listener: string): void
  /** Ends all streams and sessions and aborts their calls. */
  close(): Promise<void>
}
