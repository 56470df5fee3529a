import { errorBody, isSatchelError, type SatchelError } from '../contract/errors.ts'
import type { Connection } from './connection.ts'
import type { Target } from './targets.ts'

/** What happened, or would happen, to one file. */
export type FileOutcome =
  | 'written'
  | 'unchanged'
  | 'to be written'
  | 'restored'
  | 'removed'
  | 'entries removed'
  | 'to be restored'
  | 'to be removed'
  | 'entries to be removed'
  | 'left as it is'

export interface FileResult {
  readonly path: string
  /** As a person writes the path. */
  readonly shown: string
  readonly outcome: FileOutcome
  readonly diff: string
}

/** What came of one client in one scope. */
export interface TargetResult {
  readonly target: Target
  readonly files: readonly FileResult[]
  /** Flags of the server that the entry had and this call did not give. */
  readonly kept?: readonly string[]
  readonly connection?: Connection
  readonly error?: SatchelError
}

/** Does the work on one target; an expected error is its result. */
export async function resultOf(
  target: Target,
  work: () => Promise<Partial<TargetResult>>,
): Promise<TargetResult> {
  try {
    return { target, files: [], ...(await work()) }
  } catch (thrown) {
    if (!isSatchelError(thrown) || thrown.code === 'cancelled') throw thrown
    return { target, files: [], error: thrown }
  }
}

/** The result as data. */
export function resultData({ target, files, kept = [], connection, error }: TargetResult) {
  return {
    client: target.client.name,
    scope: target.scope,
    ...(files.length > 0 && { files: files.map(({ path, outcome, diff }) => ({ path, outcome, diff })) }),
    ...(kept.length > 0 && { kept_flags: kept }),
    ...(connection && { connection }),
    ...(error && { error: errorBody(error) }),
  }
}

/** `connected: 20 tools, 3,921 tokens, 148 ms` */
export function connectionText(connection: Connection): string {
  if (connection.kind === 'disabled') return `disabled: ${connection.by}. Take that out to enable it.`
  if (connection.kind === 'failed') return `not connected: ${connection.fault}`
  const [tools, tokens, ms] = [connection.tools, connection.tokens, connection.ms].map((number) =>
    number.toLocaleString('en-US'),
  )
  return `connected: ${tools} tools, ${tokens} tokens, ${ms} ms`
}
