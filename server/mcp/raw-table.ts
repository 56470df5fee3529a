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
  read(uri: string): WireResult | undefined | Promise<WireResult>
}

export interface RawPrompt {
  readonly descriptor: { readonly name: string } & WireResult
  get(args: Readonly<Record<string, string>>, at: RawCall): Promise<WireResult>
}

/**
 * Declarations in the protocol's own shape, served by the same handlers, sessions and streams as a plugin's: those of
 * a remote server, and what the official conformance suite asks of a server.
 */
export interface RawTable {
  readonly tools: readonly RawTool[]
  readonly resources: readonly RawResource[]
  readonly prompts: readonly RawPrompt[]
  readonly capabilities: WireResult
  readonly requestState?: ServerOptions['requestState']
  /** Undefined: not of this table. */
  complete(
    params: Readonly<Record<string, unknown>>,
  ): readonly string[] | undefined | Promise<readonly string[] | undefined>
  /** Watches a resource of this table, whose changes then reach the hub. False: not of this table. */
  watch?(uri: string): Promise<boolean>
  findTask?(taskId: string): Promise<WireTask | undefined>
}

/** A task as the wire says it. */
export interface WireTask {
  /** What `tasks/get` answers a caller who can ask its user, or cannot. */
  detailed(canAsk: boolean): WireResult
  /** False: it is gone. */
  update(inputResponses: Readonly<Record<string, unknown>>): Promise<boolean>
  cancel(): Promise<boolean>
}
