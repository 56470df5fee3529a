import { setTimeout as sleep } from 'node:timers/promises'
import { MissingRequiredClientCapabilityError, type ServerContext } from '@modelcontextprotocol/server'
import type { RawTool } from '../../server/mcp/raw-table.ts'
import { PNG, rawTool, text, WAV } from './content.ts'

/** Progress right before a result is lost by clients; the suite's own client too. */
const STEP_MS = 150

/** Tools that only answer: content of each kind, an error, progress, log messages. */
export const plainTools: readonly RawTool[] = [
  rawTool('test_simple_text', async () => text('This is a simple text response for testing.')),
  rawTool('test_image_content', async () => ({
    content: [{ type: 'image', data: PNG, mimeType: 'image/png' }],
  })),
  rawTool('test_audio_content', async () => ({
    content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  })),
  rawTool('test_embedded_resource', async () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  })),
  rawTool('test_multiple_content_types', async () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: PNG, mimeType: 'image/png' },
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  })),
  rawTool('test_error_handling', async () => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  })),
  rawTool('test_tool_with_progress', async (_args, { ctx }) => {
    for (const progress of [0, 50, 100]) {
      await reportProgress(ctx, progress)
      await sleep(STEP_MS)
    }
    return text('All steps are done.')
  }),
  rawTool('test_tool_with_logging', async (_args, { ctx }) => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await ctx.mcpReq.log('info', line)
      await sleep(STEP_MS)
    }
    return text('All lines are logged.')
  }),
  rawTool('test_logging_tool', async (_args, { ctx }) => {
    await ctx.mcpReq.log('info', 'only for the caller')
    return text('Logged for the caller.')
  }),
  rawTool('test_missing_capability', async (_args, { ctx }) => {
    if (capabilitiesOf(ctx)['sampling'] === undefined) {
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
    }
    return text('The client can sample.')
  }),
]

/** What the request declares its client can do. */
export function capabilitiesOf(ctx: ServerContext): Readonly<Record<string, unknown>> {
  const envelope: Readonly<Record<string, unknown>> = { ...ctx.mcpReq.envelope }
  return { ...(envelope['io.modelcontextprotocol/clientCapabilities'] as object | undefined) } // the SDK checked it
}

function embedded(uri: string, mimeType: string, content: string) {
  return { type: 'resource', resource: { uri, mimeType, text: content } }
}

async function reportProgress(ctx: ServerContext, progress: number): Promise<void> {
  const progressToken = ctx.mcpReq._meta?.progressToken
  if (progressToken === undefined) return
  await ctx.mcpReq.notify({
    method: 'notifications/progress',
    params: { progressToken, progress, total: 100 },
  })
}
