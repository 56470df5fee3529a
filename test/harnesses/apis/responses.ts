import * as z from 'zod'
import { contentText, type ModelApi, type ModelReply, sendEvents, sendJson } from '../model-api.ts'

const tool = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  tools: z.array(z.looseObject({ name: z.string().optional() })).default([]),
})
const request = z.looseObject({
  stream: z.boolean().default(false),
  tools: z.array(tool).default([]),
  input: z.union([
    z.string(),
    z.array(z.looseObject({ type: z.string().optional(), output: z.unknown().optional() })),
  ]),
})

/** OpenAI Responses, `POST /v1/responses`. A tool of a namespace is called with the namespace beside its name. */
export const responses: ModelApi = {
  name: 'Responses',
  path: /\/responses$/,
  read(body) {
    const { stream, tools, input } = request.parse(body)
    const outputs =
      typeof input === 'string' ? [] : input.filter(({ type }) => type === 'function_call_output')
    return {
      wantsStream: stream,
      tools: tools.flatMap(({ name, type, tools: inner }) => {
        if (type !== 'namespace') return name === undefined ? [] : [{ name }]
        return inner.flatMap((each) =>
          each.name === undefined ? [] : [{ name: each.name, namespace: name }],
        )
      }),
      results: outputs.map(({ output }) => contentText(output)),
    }
  },
  write(response, reply, wantsStream) {
    const item = itemOf(reply)
    const finished = {
      id: 'resp_stub',
      object: 'response',
      status: 'completed',
      model: 'stub',
      output: [item],
      usage: {
        input_tokens: 1,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 1,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 2,
      },
    }
    if (!wantsStream) return sendJson(response, finished)
    sendEvents(response, [
      { type: 'response.created', response: { ...finished, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: finished },
    ])
  },
}

function itemOf(reply: ModelReply): object {
  if (reply.kind === 'words') {
    const content = [{ type: 'output_text', text: reply.words, annotations: [] }]
    return { type: 'message', id: 'msg_stub', role: 'assistant', status: 'completed', content }
  }
  const { id, tool: called, args } = reply
  return {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    status: 'completed',
    name: called.name,
    ...(called.namespace !== undefined && { namespace: called.namespace }),
    arguments: JSON.stringify(args),
  }
}
