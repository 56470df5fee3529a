import type { TestContext } from 'node:test'
import { openHost } from '../../../test/harness/open-host.ts'
import type { ToolFilter } from '../../tool-filter.ts'
import type { Message } from './messages.ts'
import { samplePlugin } from './sample-plugin.ts'
import { openStdio } from './stdio-client.ts'

export type Names =
  | 'tools'
  | 'protocolVersion'
  | 'content'
  | 'contents'
  | 'ttlMs'
  | 'cacheScope'
  | 'structuredContent'

export type Result = Record<string, unknown> & {
  readonly [K in Names | 'completion' | 'capabilities']: unknown
}

export async function serve(t: TestContext, filter: Partial<ToolFilter> = {}) {
  const { plugin, world } = samplePlugin()
  const opened = await openHost(t, { plugins: [plugin], filter })
  return { ...opened, world, client: openStdio(t, opened.host) }
}

export const resultOf = (message: Message) => message['result'] as Result

export const errorOf = (message: Message) =>
  message['error'] as { code: number; message: string; data?: never }
