import type { ServerResponse } from 'node:http'

/** A tool that a request offers to the model; some APIs group the tools of a server under a namespace. */
export interface OfferedTool {
  readonly name: string
  readonly namespace?: string | undefined
}

/** What one request of a harness gives to its model. */
export interface ModelRequest {
  readonly tools: readonly OfferedTool[]
  /** The text of each tool result of the conversation, oldest first. */
  readonly results: readonly string[]
  readonly wantsStream: boolean
}

/** What the model answers: one tool call, or the words that end the turn. */
export type ModelReply =
  | { readonly kind: 'call'; readonly id: string; readonly tool: OfferedTool; readonly args: object }
  | { readonly kind: 'words'; readonly words: string }

/** One of the APIs through which harnesses reach a model. */
export interface ModelApi {
  readonly name: string
  readonly path: RegExp
  /** Reads a request body. Errors: a body that the API does not have. */
  read(body: unknown, path: string): ModelRequest
  write(response: ServerResponse, reply: ModelReply, wantsStream: boolean): void
}

/** Content of a message as the model reads it: text as it is, anything else as JSON. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map(contentText).join('\n')
  if (typeof content === 'object' && content !== null && 'text' in content) return String(content.text)
  return JSON.stringify(content) ?? ''
}

/** Answers with one JSON document. */
export function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** Answers with server-sent events; an event without `type` has no name. */
export function sendEvents(response: ServerResponse, events: readonly (object | string)[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of events) {
    const named = typeof event === 'object' && 'type' in event ? `event: ${event.type}\n` : ''
    response.write(`${named}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
  }
  response.end()
}
