import type { OwnedTool } from './call.ts'
import type { CallContext, Log } from './contract/context.ts'
import { type ErrorCode, isSatchelError } from './contract/errors.ts'
import { ERROR_TABLE } from './error-table.ts'
import { inSpan, type Settled, type SpanBegin, type SpanEnd, type Traces } from './traces.ts'

/** One call that has ended. */
export interface CallRecord {
  readonly tool: string
  readonly plugin: string
  readonly changes: boolean
  readonly door: CallContext['door']
  readonly caller: string
  readonly client: string | undefined
  readonly ms: number
  readonly input: unknown
  readonly ended:
    | { readonly kind: 'answered'; readonly answer: unknown }
    | { readonly kind: 'refused'; readonly code: string; readonly reason: string }
}

/** Is told of each call before its caller is answered. */
export type CallObserver = (record: CallRecord) => void | Promise<void>

interface Observed {
  readonly owned: OwnedTool
  readonly input: unknown
  readonly ctx: CallContext
  readonly observers: readonly CallObserver[]
  readonly traces: Traces | undefined
}

/**
 * Runs a call in a span and tells the observers how it ended. An observer that fails is logged: the call has happened.
 */
export async function observed<T>(seen: Observed, run: () => Promise<T>): Promise<T> {
  const told = seen.observers.length === 0 ? run : () => recorded(seen, run)
  return inSpan(seen.traces, () => beginOf(seen), told, endOf)
}

function beginOf({ owned: { tool, plugin }, ctx: { door } }: Observed): SpanBegin {
  const attributes = { 'satchel.tool': tool.name, 'satchel.plugin': plugin, 'satchel.door': door }
  return { name: `call ${tool.name}`, kind: 'internal', attributes }
}

function endOf(settled: Settled<unknown>): SpanEnd {
  if (settled.kind === 'answered') return { attributes: { 'satchel.outcome': 'ok' } }
  const { code, reason } = refusalOf(settled.thrown)
  return {
    attributes: { 'satchel.outcome': code, 'satchel.reason': reason },
    error: ERROR_TABLE[code].http >= 500 ? code : undefined,
  }
}

async function recorded<T>(
  { owned: { tool, plugin }, input, ctx, observers }: Observed,
  run: () => Promise<T>,
): Promise<T> {
  const began = performance.now()
  const tell = async (ended: CallRecord['ended']): Promise<void> => {
    const record: CallRecord = {
      tool: tool.name,
      plugin,
      changes: !tool.annotations.readOnly,
      door: ctx.door,
      caller: ctx.principal.id,
      client: ctx.client?.name,
      ms: performance.now() - began,
      input,
      ended,
    }
    await Promise.all(observers.map((observer) => told(observer, record, ctx.log)))
  }
  try {
    const answer = await run()
    await tell({ kind: 'answered', answer })
    return answer
  } catch (thrown) {
    await tell({ kind: 'refused', ...refusalOf(thrown) })
    throw thrown
  }
}

function refusalOf(thrown: unknown): { readonly code: ErrorCode; readonly reason: string } {
  if (!isSatchelError(thrown)) return { code: 'internal', reason: 'internal' }
  return { code: thrown.code, reason: thrown.reason }
}

async function told(observer: CallObserver, record: CallRecord, log: Log): Promise<void> {
  try {
    await observer(record)
  } catch (error) {
    log.error('a call could not be recorded', { tool: record.tool, error })
  }
}
