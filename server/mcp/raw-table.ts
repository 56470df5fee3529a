import type { Server, ServerContext, ServerOptions } from '@modelcontextprotocol/server'

/** A result as it goes to the wire. */
export type WireResult = Record<string, unknown>

interface RawCall {
  readonly ctx: ServerContext
  readonly server: Server
}

export interface RawTool {
  readonly descriptor: { readonly name: string } & WireResult
  call(args: Readonly<Record<string, unknown>>, at: RawCall): Promise<WireResult>
}

export interface RawResource {
  /** With `uri` or `uriTemplate`. */
  readonly descriptor: WireResult
  /** Undefined: not this resource. */
  read(uri: string): WireResult | undefined
}

export interface RawPrompt {
  readonly descriptor: { readonly name: string } & WireResult
  get(args: Readonly<Record<string, string>>, at: RawCall): Promise<WireResult>
}

/**
 * Declarations that no plugin can make, in the protocol's own shape: what the official conformance suite asks of a
 * server. They are served by the same handlers, sessions and streams as everything else; `serve` and `mcp` never
 * have such a table.
 */
export interface RawTable {
  readonly tools: readonly RawTool[]
  readonly resources: readonly RawResource[]
  readonly prompts: readonly RawPrompt[]
  readonly capabilities: WireResult
  readonly requestState?: ServerOptions['requestState']
  complete(params: Readonly<Record<string, unknown>>): readonly string[] | undefined
}
