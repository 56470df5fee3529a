import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { ServerContext, ServerOptions } from '@modelcontextprotocol/server'
import type { RawPrompt, RawTool, WireResult } from '../../server/mcp/raw-table.ts'
import { isJsonObject } from '../../server/platform/json-object.ts'
import { rawTool, text } from './content.ts'
import { capabilitiesOf } from './plain-tools.ts'

const key = randomBytes(32)

/** State a client carries back: signed, so that a changed one is refused. */
export function sealState(value: string): string {
  return `${Buffer.from(value).toString('base64url')}.${signature(value)}`
}

/** Gives back the value of a state that was sealed here. */
export const requestState: NonNullable<ServerOptions['requestState']> = {
  async verify(state: string) {
    const [body = '', seal = ''] = state.split('.')
    const value = Buffer.from(body, 'base64url').toString()
    const expected = Buffer.from(signature(value))
    const given = Buffer.from(seal)
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new Error('not ours')
    return value
  },
}

function signature(value: string): string {
  return createHmac('sha256', key).update(value).digest('base64url')
}

/** A form with one required field. */
export function elicit(message: string, field: string, type = 'string'): WireResult {
  return {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message,
      requestedSchema: { type: 'object', properties: { [field]: { type } }, required: [field] },
    },
  }
}

function sample(prompt: string, maxTokens: number): WireResult {
  const messages = [{ role: 'user', content: { type: 'text', text: prompt } }]
  return { method: 'sampling/createMessage', params: { messages, maxTokens } }
}

const ROOTS: WireResult = { method: 'roots/list', params: {} }

/** An answer that waits for the client's input. */
export function inputRequired(inputRequests: WireResult, state?: string): WireResult {
  return {
    resultType: 'input_required',
    inputRequests,
    ...(state !== undefined && { requestState: sealState(state) }),
  }
}

/** What the user accepted under `name`, if it has `field`. */
export function accepted(ctx: ServerContext, name: string, field: string): unknown {
  const response = ctx.mcpReq.inputResponses?.[name]
  if (!isJsonObject(response) || response['action'] !== 'accept' || !isJsonObject(response['content']))
    return undefined
  return response['content'][field]
}

function responded(ctx: ServerContext, name: string): boolean {
  return isJsonObject(ctx.mcpReq.inputResponses?.[name])
}

const PREFIX = 'test_input_required_result'

/** Tools that answer with what they still need, in one round or several. */
export const inputRequiredTools: readonly RawTool[] = [
  rawTool(`${PREFIX}_elicitation`, async (_args, { ctx }) => {
    const name = accepted(ctx, 'user_name', 'name')
    if (typeof name === 'string') return text(`Hello, ${name}!`)
    return inputRequired({ user_name: elicit('What is your name?', 'name') })
  }),
  rawTool('test_streaming_elicitation', async () =>
    inputRequired({ user_name: elicit('What is your name?', 'name') }),
  ),
  rawTool(`${PREFIX}_sampling`, async (_args, { ctx }) => {
    if (responded(ctx, 'capital_question')) {
      return text(`The answer: ${JSON.stringify(ctx.mcpReq.inputResponses?.['capital_question'])}`)
    }
    return inputRequired({ capital_question: sample('What is the capital of France?', 100) })
  }),
  rawTool(`${PREFIX}_list_roots`, async (_args, { ctx }) => {
    if (!responded(ctx, 'client_roots')) return inputRequired({ client_roots: ROOTS })
    return text(`Roots: ${JSON.stringify(ctx.mcpReq.inputResponses?.['client_roots'])}`)
  }),
  rawTool(`${PREFIX}_request_state`, async (_args, { ctx }) => {
    if (responded(ctx, 'confirm') && ctx.mcpReq.requestState() === 'confirming') return text('state-ok')
    return inputRequired({ confirm: elicit('Please confirm', 'ok', 'boolean') }, 'confirming')
  }),
  rawTool(`${PREFIX}_tampered_state`, async (_args, { ctx }) => {
    if (ctx.mcpReq.requestState() === 'sealed') return text('state-ok')
    return inputRequired({ confirm: elicit('Please confirm', 'ok', 'boolean') }, 'sealed')
  }),
  rawTool(`${PREFIX}_multiple_inputs`, async (_args, { ctx }) => {
    const all = ['user_name', 'greeting', 'client_roots']
    if (all.every((name) => responded(ctx, name))) return text('All inputs are here.')
    return inputRequired(
      {
        user_name: elicit('What is your name?', 'name'),
        greeting: sample('Generate a greeting', 50),
        client_roots: ROOTS,
      },
      'several',
    )
  }),
  rawTool(`${PREFIX}_multi_round`, async (_args, { ctx }) => {
    const state = ctx.mcpReq.requestState()
    if (state === 'round 2' && responded(ctx, 'step2')) return text('Both rounds are done.')
    if (state === 'round 1' && responded(ctx, 'step1')) {
      return inputRequired({ step2: elicit('Step 2: What is your favorite color?', 'color') }, 'round 2')
    }
    return inputRequired({ step1: elicit('Step 1: What is your name?', 'name') }, 'round 1')
  }),
  rawTool(`${PREFIX}_capabilities`, async (_args, { ctx }) => {
    const can = capabilitiesOf(ctx)
    return inputRequired({
      ...(can['sampling'] !== undefined && { question: sample('Say a word', 10) }),
      ...(can['elicitation'] !== undefined && { name: elicit('What is your name?', 'name') }),
    })
  }),
]

/** A prompt that needs input before it can be rendered. */
export const inputRequiredPrompt: RawPrompt = {
  descriptor: { name: `${PREFIX}_prompt`, description: 'Asks for context first.' },
  async get(_args, { ctx }) {
    const context = accepted(ctx, 'user_context', 'context')
    if (context === undefined) {
      return inputRequired({ user_context: elicit('What context should the prompt use?', 'context') })
    }
    return { messages: [{ role: 'user', content: { type: 'text', text: `Use this: ${String(context)}` } }] }
  },
}
