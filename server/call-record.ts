import type { OwnedTool } from './call.ts'
import type { CallContext, Log } from './contract/context.ts'
import { isSatchelError } from './contract/errors.ts'

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
}

/** Runs a call and tells the observers how it ended. An observer that fails is logged: the call has happened. */
export async function observed<T>(
  { owned: { tool, plugin }, input, ctx, observers }: Observed,
  run: () => Promise<T>,
): Promise<T> {
  if (observers.length === 0) return run()
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
    const { code, reason } = isSatchelError(thrown) ? thrown : { code: 'internal', reason: 'internal' }
    await tell({ kind: 'refused', code, reason })
    throw thrown
  }
}

async function told(observer: CallObserver, record: CallRecord, log: Log): Promise<void> {
  try {
    await observer(record)
  } catch (error) {
    log.error('a call could not be recorded', { tool: record.tool, error })
  }
}
