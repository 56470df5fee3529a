import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from './contract/advanced/principal.ts'
import type { SatchelError } from './contract/errors.ts'

/** One HTTP request on its way to the MCP door. Host and Origin have been checked; credentials and body have not. */
export interface McpExchange {
  readonly listener: string
  readonly request: Request
  readonly incoming: IncomingMessage
  /** For streams: write here and answer with `alreadySent()`. */
  readonly outgoing: ServerResponse
  /** Errors: `unauthorized`. */
  authenticate(): Promise<Principal>
  /** The capped, parsed JSON body. Errors: `invalid`/`media_type`, `body_timeout`, `body_not_json`, `too_deep`; `too_large`. */
  readBody(maxBytes: number): Promise<unknown>
  /** Calls `action` when the rights of this principal are said to have ended. Gives the function that calls it off. */
  onCallerEnded(principalId: string, action: () => void): () => void
  /** Called before a stream is opened. Errors: `unavailable`/`too_many_streams`. */
  requireStreamPlace(): void
  /** What to return once `outgoing` was used. */
  alreadySent(): Response
}

/** What `run.ts` hands from the MCP door to the HTTP door, which knows nothing of MCP. */
export interface McpMount {
  /** `ALL` takes every method. */
  readonly routes: readonly { readonly method: 'GET' | 'POST' | 'ALL'; readonly path: `/${string}` }[]
  handle(exchange: McpExchange): Promise<Response>
  /** The answer to a request refused before `handle`, in the protocol's own shape. */
  refuse(error: SatchelError): Response
  /** Ends the streams of one listener with their last words; calls under way may still answer. */
  endStreams(listener: string): void
  /** Ends every stream and session, and aborts what they still do. */
  close(): Promise<void>
}
