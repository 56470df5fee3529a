import * as z from 'zod'
import { contentText, type ModelApi, type ModelReply, sendEvents, sendJson } from '../model-api.ts'

const block = z.looseObject({ type: z.string(), content: z.unknown().optional() })
const request = z.looseObject({
  stream: z.boolean().default(false),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
  messages: z.array(z.looseObject({ content: z.union([z.string(), z.array(block)]) })),
})

/** Anthropic Messages, `POST /v1/messages`. */
export const anthropic: ModelApi = {
  name: 'Anthropic Messages',
  path: /\/v1\/messages(?:\?|$)/,
  read(body) {
    const { stream, tools, messages } = request.parse(body)
    const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    const results = blocks.filter(({ type }) => type === 'tool_result')
    return { wantsStream: stream, tools, results: results.map(({ content }) => contentText(content)) }
  },
  write(response, reply, wantsStream) {
    const message = {
      id: 'msg_stub',
      type: 'message',
      role: 'assistant',
      model: 'stub',
      content: [contentOf(reply)],
      stop_reason: reply.kind === 'call' ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    }
    if (!wantsStream) return sendJson(response, message)
    const { stop_reason, usage } = message
    const [content_block, delta] = streamed(reply)
    sendEvents(response, [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
      { type: 'message_stop' },
    ])
  },
}

function contentOf(reply: ModelReply): object {
  if (reply.kind === 'words') return { type: 'text', text: reply.words }
  return { type: 'tool_use', id: reply.id, name: reply.tool.name, input: reply.args }
}

function streamed(reply: ModelReply): readonly [block: object, delta: object] {
  if (reply.kind === 'words')
    return [
      { type: 'text', text: '' },
      { type: 'text_delta', text: reply.words },
    ]
  const { id, tool, args } = reply
  return [
    { type: 'tool_use', id, name: tool.name, input: {} },
    { type: 'input_json_delta', partial_json: JSON.stringify(args) },
  ]
}
