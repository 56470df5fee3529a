import type { Server, ServerContext, ServerOptions } from '@modelcontextprotocol/server'

/** A result in wire format. */
export type WireResult = Record<string, unknown>

/** In a result: its `structuredContent` as JSON, to write the answer without the SDK. Symbols are not on the wire. */
export const STRUCTURED_JSON = Symbol('structured JSON')

/** The result of a call of a tool. */
export interface ToolResult extends WireResult {
  readonly [STRUCTURED_JSON]?: () => string
}

/** A request as the SDK passes it to a handler. */
export interface RawCall {
  readonly ctx: ServerContext
  readonly server: Server
}

interface RawToolCall extends RawCall {
  /** Sends progress of the call to a client that asked for it. */
  report(done: number, total: number): void
}

export interface RawTool {
  readonly descriptor: { readonly name: string } & WireResult
  call(args: Readonly<Record<string, unknown>>, at: RawToolCall): Promise<WireResult>
}

export interface RawResource {
  /** With `uri` or `uriTemplate`. */
  readonly descriptor: WireResult
  /** Undefined: another resource. */
  read(uri: string): WireResult | undefined | Promise<WireResult>
}

export interface RawPrompt {
  readonly descriptor: { readonly name: string } & WireResult
  get(args: Readonly<Record<string, string>>, at: RawCall): Promise<WireResult>
}

/**
 * Declarations in wire format, served by the same handlers, sessions and streams as those of plugins. Used for remote
 * servers and for the official conformance suite.
 */
export interface RawTable {
  readonly tools: readonly RawTool[]
  readonly resources: readonly RawResource[]
  readonly prompts: readonly RawPrompt[]
  readonly capabilities: WireResult
  readonly requestState?: ServerOptions['requestState']
  /** Undefined: not in this table. */
  complete(
    params: Readonly<Record<string, unknown>>,
  ): readonly string[] | undefined | Promise<readonly string[] | undefined>
  /** Watches a resource of this table and forwards its changes to the hub. False: not in this table. */
  watch?(uri: string): Promise<boolean>
  findTask?(taskId: string): Promise<WireTask | undefined>
}

/** A task in wire format. */
export interface WireTask {
  /** Returns the answer of `tasks/get` for a caller with or without elicitation. */
  detailed(canAsk: boolean): WireResult
  /** False: the task no longer exists. */
  update(inputResponses: Readonly<Record<string, unknown>>): Promise<boolean>
  cancel(): Promise<boolean>
}
