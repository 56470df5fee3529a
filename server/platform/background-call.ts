import type { CallContext } from '../contract/context.ts'

/** Without a waiting caller: no progress is reported, and no answer is a task. */
export const UNATTENDED: Pick<CallContext, 'acceptsTask' | 'progress'> = {
  acceptsTask: false,
  progress: () => undefined,
}

/** The context of a call without a waiting caller: it reports no progress and answers without a task. */
export function backgroundCall(call: Omit<CallContext, 'acceptsTask' | 'progress'>): CallContext {
  return { ...call, ...UNATTENDED }
}
