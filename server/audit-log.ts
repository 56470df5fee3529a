import type { CallObserver, CallRecord } from './call-record.ts'
import type { Database } from './contract/advanced/database.ts'
import { createLog } from './log.ts'
import { createDurableLines } from './platform/durable-lines.ts'
import { isJsonObject } from './platform/json-object.ts'

/** Fields that name what a call changed. Texts are not recorded: they may hold anything. */
const NAMING = /^(.*_)?(id|ids|path|file|version|revision|etag|ref|repository|project|status|action)$/
const MAX_CHARS = 200
const MAX_LISTED = 20

/** Resolves when the line is durable. */
export type AddLine = (line: string) => Promise<void>

/**
 * Adds one JSON line for each call of a tool that changes something, also for a refused one: who, through which door, what
 * it names, how it ended. The line is durable before the caller is answered. Secrets are removed.
 */
export function createAuditLog(add: AddLine, now: () => Date): CallObserver {
  return async (record) => {
    if (!record.changes) return
    const written: string[] = []
    createLog('info', (line) => written.push(line.trimEnd()), now).info(record.tool, fieldsOf(record))
    await Promise.all(written.map(add))
  }
}

/** Lines of a file. */
export function fileLines(path: string): AddLine {
  const lines = createDurableLines(path)
  return (line) => lines.add(line)
}

/** Rows of a database, which several servers share. */
export function auditRows(database: () => Database | undefined): AddLine {
  return async (line) => {
    await database()?.write('changed as (insert into satchel.audit (line) values ($2) returning n)', [line])
  }
}

function fieldsOf({ plugin, door, caller, client, input, ended, ms }: CallRecord): Record<string, unknown> {
  const isRefused = ended.kind === 'refused'
  const data = isRefused || !isJsonObject(ended.answer) ? undefined : ended.answer['data']
  return {
    plugin,
    door,
    caller,
    ...(client !== undefined && { client: client.slice(0, MAX_CHARS) }),
    input: namesIn(input),
    outcome: isRefused ? ended.code : 'ok',
    ...(isRefused ? { reason: ended.reason } : { output: namesIn(data) }),
    ms: Math.round(ms),
  }
}

function namesIn(value: unknown): Record<string, unknown> {
  if (!isJsonObject(value)) return {}
  const named = Object.entries(value)
    .filter(([name]) => NAMING.test(name))
    .map(([name, entry]) => [name, shortOf(entry)] as const)
    .filter(([, entry]) => entry !== undefined)
  return Object.fromEntries(named.slice(0, MAX_LISTED))
}

function shortOf(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value === 'string') return value.slice(0, MAX_CHARS)
  if (!Array.isArray(value)) return undefined
  return value
    .slice(0, MAX_LISTED)
    .flatMap((entry) => (typeof entry === 'string' ? [entry.slice(0, MAX_CHARS)] : []))
}
