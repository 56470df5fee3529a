import type { CallContext } from '../contract/context.ts'

/** The context of a call without a waiting caller: it reports no progress and answers without a task. */
export function backgroundCall(call: Omit<CallContext, 'acceptsTask' | 'progress'>): CallContext {
  return { ...call, acceptsTask: false, progress: () => undefined }
}
