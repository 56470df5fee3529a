import type { RawTool } from '../../server/mcp/raw-table.ts'
import { rawTool, text } from './content.ts'

const OPTIONS = ['option1', 'option2', 'option3']

type Fields = Readonly<Record<string, unknown>>

/** Tools that ask an older client within a call: sampling and elicitation. */
export const askingTools: readonly RawTool[] = [
  rawTool(
    'test_sampling',
    async ({ prompt }, { ctx }) => {
      const answer = await ctx.mcpReq.requestSampling({
        messages: [{ role: 'user', content: { type: 'text', text: String(prompt) } }],
        maxTokens: 100,
      })
      return text(`LLM response: ${JSON.stringify(answer.content)}`)
    },
    { prompt: { type: 'string' } },
  ),
  rawTool(
    'test_elicitation',
    async ({ message }, { ctx }) => {
      const answer = await ask(ctx, String(message), {
        username: { type: 'string', description: 'User name' },
        email: { type: 'string', description: 'Address' },
      })
      return text(`User response: ${answer}`)
    },
    { message: { type: 'string' } },
  ),
  rawTool('test_elicitation_sep1034_defaults', async (_args, { ctx }) => {
    const answer = await ask(ctx, 'Defaults', {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    })
    return text(`Elicitation completed: ${answer}`)
  }),
  rawTool('test_elicitation_sep1330_enums', async (_args, { ctx }) => {
    const titled = (word: string) =>
      [1, 2, 3].map((n) => ({ const: `value${n}`, title: `${['First', 'Second', 'Third'][n - 1]} ${word}` }))
    const answer = await ask(ctx, 'Enums', {
      untitledSingle: { type: 'string', enum: OPTIONS },
      titledSingle: { type: 'string', oneOf: titled('Option') },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
      titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
    })
    return text(`Elicitation completed: ${answer}`)
  }),
]

type Asking = Parameters<RawTool['call']>[1]['ctx']

async function ask(ctx: Asking, message: string, properties: Fields): Promise<string> {
  const requestedSchema = {
    type: 'object' as const,
    properties,
    required: Object.keys(properties).slice(0, 2),
  }
  type Params = Parameters<typeof ctx.mcpReq.elicitInput>[0]
  const asked = { mode: 'form', message, requestedSchema } as unknown as Params // the suite's schemas, verbatim
  const { action, content } = await ctx.mcpReq.elicitInput(asked)
  return `action=${action}, content=${JSON.stringify(content ?? {})}`
}
