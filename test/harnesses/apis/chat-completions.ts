import * as z from 'zod'
import { contentText, type ModelApi, sendEvents, sendJson } from '../model-api.ts'

const request = z.looseObject({
  stream: z.boolean().default(false),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).default([]),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
})

const HEAD = { id: 'chatcmpl-stub', created: 0, model: 'stub' }
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }

/** OpenAI Chat Completions, `POST /v1/chat/completions`. */
export const chatCompletions: ModelApi = {
  name: 'Chat Completions',
  path: /\/chat\/completions$/,
  read(body) {
    const { stream, tools, messages } = request.parse(body)
    const results = messages.filter(({ role }) => role === 'tool')
    return {
      wantsStream: stream,
      tools: tools.map((tool) => ({ name: tool.function.name })),
      results: results.map(({ content }) => contentText(content)),
    }
  },
  write(response, reply, wantsStream) {
    const message =
      reply.kind === 'words'
        ? { role: 'assistant', content: reply.words }
        : {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                index: 0,
                id: reply.id,
                type: 'function',
                function: { name: reply.tool.name, arguments: JSON.stringify(reply.args) },
              },
            ],
          }
    const finish_reason = reply.kind === 'call' ? 'tool_calls' : 'stop'
    if (!wantsStream) {
      const choices = [{ index: 0, message, finish_reason }]
      return sendJson(response, { ...HEAD, object: 'chat.completion', choices, usage: USAGE })
    }
    const chunk = { ...HEAD, object: 'chat.completion.chunk' }
    sendEvents(response, [
      { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
      { ...chunk, choices: [], usage: USAGE },
      '[DONE]',
    ])
  },
}
