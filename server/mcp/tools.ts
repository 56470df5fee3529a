import { setTimeout as sleep } from 'node:timers/promises'
import { ProtocolError } from '@modelcontextprotocol/server'
import { type Reader, readerOf } from '../answer/reader.ts'
import type { CallAnswer } from '../call.ts'
import type { CallContext } from '../contract/context.ts'
import { isSatchelError } from '../contract/errors.ts'
import { didYouMean, nearest } from '../platform/nearest.ts'
import { withoutFences } from '../platform/untrusted.ts'
import { takesEventStream } from './accepted.ts'
import { declaresElicitation, declaresTasks } from './caller.ts'
import type { Catalog, OfferedTool } from './descriptors.ts'
import { callContextOf, clientOf, type Exchange } from './exchange.ts'
import { type PageCall, pageCallIn } from './page-call.ts'
import { createProgress, type Progress } from './progress.ts'
import { INVALID_PARAMS } from './protocol-errors.ts'
import { STRUCTURED_JSON, type ToolResult, type WireResult } from './raw-table.ts'
import { flatTask } from './task-wire.ts'
import { toolAnswer } from './tool-answer.ts'
import { errorResult, inTexts } from './tool-error.ts'

/** First version whose results carry `structuredContent`. */
const STRUCTURED_SINCE = '2025-06-18'

export interface ToolCall {
  readonly name: string
  readonly arguments?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Answers `tools/call`. An unknown tool is a protocol error; a refusal of the call is a result with `isError`, so that
 * a model can read it.
 */
export async function callTool(exchange: Exchange, params: ToolCall): Promise<ToolResult> {
  const { catalog, sdk } = exchange
  const args = params.arguments ?? {}
  const raw = catalog.raw?.tools.find(({ descriptor }) => descriptor.name === params.name)
  if (raw && sdk) {
    const called = ({ report }: Progress) => raw.call(args, { ...sdk, report }).catch(asErrorResult)
    return withProgress(exchange, called)
  }
  const offered = catalog.tool(params.name)
  if (!offered) {
    if (catalog.unreached && isRemoteName(catalog, params.name))
      return inVersion(exchange, errorResult(catalog.unreached))
    throw unknownTool(params.name, catalog)
  }
  return withProgress(exchange, async (progress) => {
    try {
      const asked = pageCallIn(offered.owned.tool, withoutFencesIn(args))
      const context = toolContext(exchange, offered, progress)
      const answer = await catalog.host.call(offered.owned, asked.args, context)
      return resultOf(exchange, offered, answer, asked)
    } catch (thrown) {
      return inVersion(exchange, asErrorResult(thrown))
    }
  })
}

/** Names of tools begin alike: only a name that is mistyped is near, and none that does something else. */
const NEAR_SHARE = 0.2

function unknownTool(name: string, { toolNames }: Catalog): ProtocolError {
  const near = nearest(name, toolNames, NEAR_SHARE)
  const hint = near === undefined ? '' : `. ${didYouMean(near, toolNames)}`
  return new ProtocolError(INVALID_PARAMS, `Unknown tool${hint}`)
}

/** Makes the call with its progress, which ends before the result is sent. */
async function withProgress(
  exchange: Exchange,
  call: (progress: Progress) => Promise<ToolResult>,
): Promise<ToolResult> {
  const progress = progressOf(exchange)
  try {
    return await call(progress)
  } finally {
    const gapMs = progress.end()
    if (gapMs > 0 && !exchange.signal.aborted) await sleep(gapMs)
  }
}

/** Reports whether a name has the prefix of a remote server's tools, which may be missing from the list. */
function isRemoteName({ host }: Catalog, name: string): boolean {
  return host.registry.instances.some(({ instance }) => {
    const prefix = instance.remote?.toolPrefix
    return prefix !== undefined && name.startsWith(prefix)
  })
}

function toolContext(exchange: Exchange, { owned }: OfferedTool, progress: Progress): CallContext {
  const takesTask = owned.tool.task === true && exchange.era === 'modern'
  const acceptsTask = takesTask && declaresTasks(exchange.envelope)
  return callContextOf(exchange, { acceptsTask, progress: progress.report })
}

/** Of a call whose client did not ask for it, or cannot take it. */
const UNASKED: Progress = { report: () => undefined, end: () => 0 }

/** Returns the progress of a call whose request has a token and whose transport can send it before the answer. */
function progressOf({ sdk, catalog, era }: Exchange): Progress {
  const progressToken = sdk?.ctx.mcpReq._meta?.progressToken
  if (!sdk || progressToken === undefined) return UNASKED
  const accept = sdk.ctx.http?.req?.headers.get('accept')
  const takesFrames = era === 'legacy' || accept == null || takesEventStream(accept)
  if (!takesFrames) return UNASKED
  return createProgress(
    (params) => {
      const frame = { method: 'notifications/progress' as const, params: { progressToken, ...params } }
      sdk.ctx.mcpReq.notify(frame).catch((error: unknown) => {
        catalog.host.log.debug('progress not delivered', { error })
      })
    },
    () => performance.now(),
  )
}

function resultOf(exchange: Exchange, offered: OfferedTool, answer: CallAnswer, asked: PageCall): ToolResult {
  if (answer.kind === 'task') {
    const canAsk = declaresElicitation(exchange.envelope)
    return { resultType: 'task', ...flatTask(answer.task, canAsk) }
  }
  // A default in the input is for doors without pages.
  const isAsked = Object.hasOwn(asked.args, 'max_tokens')
  const { answerTokens } = offered.owned.tool
  const usual = answerTokens && Math.min(answerTokens, exchange.catalog.host.answers.answer_tokens)
  const reader = readerFor(exchange, isAsked ? answer.input['max_tokens'] : usual)
  const { text, data, json } = toolAnswer(offered, answer.data, asked, reader)
  const result = { content: [{ type: 'text', text }], structuredContent: data, [STRUCTURED_JSON]: json }
  return inVersion(exchange, result)
}

/** The reader that this client's model is. */
function readerFor(exchange: Exchange, maxTokens: unknown): Reader {
  const reader = readerOf(clientOf(exchange)?.name, exchange.catalog.host.answers, maxTokens)
  return isStructured(exchange) ? reader : { ...reader, dataIsText: true }
}

/** Arguments without the marks of fences that a model copied back with the text. */
function withoutFencesIn<T>(value: T): T {
  return inTexts(value, withoutFences) as T // texts stay texts
}

/** Errors: all except `SatchelError`. */
function asErrorResult(thrown: unknown): WireResult & { content: unknown[] } {
  if (isSatchelError(thrown)) return errorResult(thrown)
  throw thrown
}

/** Adds the data as a second block of text for clients before 2025-06-18, which ignore `structuredContent`. */
function inVersion(exchange: Exchange, result: ToolResult & { content: unknown[] }): ToolResult {
  if (isStructured(exchange)) return result
  const { structuredContent, content, ...rest } = result
  return { ...rest, content: [...content, { type: 'text', text: JSON.stringify(structuredContent) }] }
}

function isStructured({ era, sdk }: Exchange): boolean {
  const version = sdk?.server.getNegotiatedProtocolVersion()
  return era === 'modern' || version === undefined || version >= STRUCTURED_SINCE
}
