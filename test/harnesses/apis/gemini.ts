import * as z from 'zod'
import { contentText, type ModelApi, sendEvents, sendJson } from '../model-api.ts'

const part = z.looseObject({
  functionResponse: z.looseObject({ name: z.string(), response: z.unknown() }).optional(),
})
const request = z.looseObject({
  contents: z.array(z.looseObject({ parts: z.array(part).default([]) })),
  tools: z
    .array(z.looseObject({ functionDeclarations: z.array(z.looseObject({ name: z.string() })).default([]) }))
    .default([]),
})

/** Gemini, `POST /v1beta/models/NAME:generateContent`, `:streamGenerateContent` and `:countTokens`. */
export const gemini: ModelApi = {
  name: 'Gemini',
  path: /:(?:generateContent|streamGenerateContent)(?:\?|$)/,
  read(body, path) {
    const { contents, tools } = request.parse(body)
    const answers = contents.flatMap(({ parts }) =>
      parts.flatMap(({ functionResponse }) => functionResponse ?? []),
    )
    return {
      wantsStream: path.includes(':streamGenerateContent'),
      tools: tools.flatMap(({ functionDeclarations }) => functionDeclarations),
      results: answers.map(({ response }) => contentText(response)),
    }
  },
  write(response, reply, wantsStream) {
    const part =
      reply.kind === 'words'
        ? { text: reply.words }
        : { functionCall: { id: reply.id, name: reply.tool.name, args: reply.args } }
    const answer = {
      candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    }
    if (wantsStream) sendEvents(response, [answer])
    else sendJson(response, answer)
  },
}
