import { Client as ModernClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'

interface CallOptions {
  readonly signal?: AbortSignal
  readonly onprogress?: (progress: { progress: number }) => void
}

/** What a test does with a client of either generation. */
export interface InteropClient {
  readonly errors: Error[]
  listTools(): Promise<readonly { readonly name: string }[]>
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Record<string, unknown>>
  read(uri: string): Promise<readonly unknown[]>
  templates(): Promise<readonly { readonly uriTemplate: string }[]>
  prompt(name: string, args: Record<string, string>): Promise<readonly unknown[]>
  complete(name: string, argument: string, value: string): Promise<readonly string[]>
  /** Watches a resource; `changed` is called at each hint. */
  watch(uri: string, changed: () => void): Promise<void>
  close(): Promise<void>
}

/** Where the server is: an HTTP address, or a command to spawn. */
export type Place = { readonly url: string } | { readonly command: string; readonly args: string[] }

type Mode = 'legacy' | 'auto' | { pin: string }

/** A server that starts on a busy machine may take longer than the minute that the clients have for an answer. */
const FOR_START = { timeout: 600_000 }

/** What both clients do in the same words. */
function partsOf(client: ModernClient | OldClient): Omit<InteropClient, 'call' | 'watch'> {
  const errors: Error[] = []
  client.onerror = (error) => void errors.push(error)
  return {
    errors,
    listTools: async () => (await client.listTools()).tools,
    read: async (uri) => (await client.readResource({ uri })).contents,
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages,
    complete: async (name, argument, value) =>
      (await client.complete({ ref: { type: 'ref/prompt', name }, argument: { name: argument, value } }))
        .completion.values,
    close: () => client.close(),
  }
}

/** The client of 2.4.0, in one of its three ways to agree on a version. */
export async function openModernClient(place: Place, mode: Mode): Promise<InteropClient> {
  const client = new ModernClient({ name: 'interop', version: '1' }, { versionNegotiation: { mode } })
  const parts = partsOf(client)
  await client.connect(
    'url' in place
      ? new StreamableHTTPClientTransport(new URL(place.url))
      : new StdioClientTransport({ ...place, stderr: 'inherit' }),
    FOR_START,
  )
  return {
    ...parts,
    call: async (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, options),
    async watch(uri, changed) {
      client.setNotificationHandler('notifications/resources/updated', changed)
      if (client.getNegotiatedProtocolVersion() === '2026-07-28') {
        await client.listen({ resourceSubscriptions: [uri] })
      } else await client.subscribeResource({ uri })
    },
  }
}

/** The client of 1.32.2, which knows nothing after 2025-11-25. */
export async function openOldClient(
  place: Place,
  transport: 'http' | 'sse' = 'http',
): Promise<InteropClient> {
  const client = new OldClient({ name: 'interop', version: '1' })
  const parts = partsOf(client)
  await client.connect(oldTransport(place, transport), FOR_START)
  return {
    ...parts,
    call: async (name, args = {}, options = {}) =>
      client.callTool({ name, arguments: args }, undefined, options),
    async watch(uri, changed) {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, changed)
      await client.subscribeResource({ uri })
    },
  }
}

function oldTransport(place: Place, transport: 'http' | 'sse') {
  if (!('url' in place)) return new OldStdio({ ...place, stderr: 'inherit' })
  const url = new URL(place.url)
  // The old package's transports do not fit their own interface under exactOptionalPropertyTypes.
  return (transport === 'sse' ? new SSEClientTransport(url) : new OldHttp(url)) as unknown as OldStdio
}
