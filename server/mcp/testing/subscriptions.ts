import { type Answer, openStream } from './http-client.ts'
import { type Message, modern, modernHeaders } from './messages.ts'

export const GET = { 'mcp-protocol-version': '2026-07-28' }

export const ID = 'io.modelcontextprotocol/subscriptionId'

export const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

export const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

export const subscribe = (uri: string, id: string | number = 1) => modern(id, 'resources/subscribe', { uri })

export const listen = (id: string | number, notifications: unknown, capabilities: object = {}) =>
  modern(id, 'subscriptions/listen', { notifications, _meta: { [CAPABILITIES]: capabilities } })

export const openListen = (url: string, message: Message, headers: Record<string, string> = {}) =>
  openStream(url, { ...modernHeaders(message), ...headers }, message)

export const errorOf = ({ body }: Answer) => body?.['error'] as { code: number; data?: unknown }

export const resultOf = (message: Message | undefined) => message?.['result'] as Record<string, unknown>

export const paramsOf = (message: Message | undefined) => message?.['params'] as Record<string, unknown>

export const updatedHint = (uri: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/resources/updated',
  params: { uri },
})
