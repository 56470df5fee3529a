import { resolve } from 'node:path'
import type { CallObserver } from './call-record.ts'
import type { Config } from './config.ts'
import type { Database } from './contract/advanced/database.ts'
import type { Metrics } from './metrics.ts'

export interface ObserverParts {
  readonly config: Config | undefined
  readonly http?: { readonly metrics?: Metrics | undefined }
  readonly projectRoot: string
  now(): Date
  /** The database of the host; asked at the first call. */
  database(): Database | undefined
}

/** What is told of each call under this configuration: the metrics, and the audit log in a file, a database or both. */
export async function callObservers({
  config,
  http,
  projectRoot,
  now,
  database,
}: ObserverParts): Promise<CallObserver[]> {
  const observers = http?.metrics ? [http.metrics.onCall] : []
  const file = config?.tools.audit_log ?? null
  const isShared = config?.storage.audit === true && config.storage.url !== null
  if (file === null && !isShared) return observers
  const { auditRows, createAuditLog, fileLines } = await import('./audit-log.ts')
  const sinks = [
    ...(file === null ? [] : [fileLines(resolve(projectRoot, file))]),
    ...(isShared ? [auditRows(database)] : []),
  ]
  return [...observers, ...sinks.map((add) => createAuditLog(add, now))]
}
