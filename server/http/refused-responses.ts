import type { RefusalRow } from '../contract/refusals.ts'
import { ERROR_TABLE, transportStatus } from '../error-table.ts'
import { refusals as pathRefusals } from '../platform/refusals.ts'
import { refusals as hostRefusals } from '../refusals.ts'
import { refusals as tokenRefusals } from '../tokens/refusals.ts'
import { componentName } from './component-schemas.ts'
import { refusals as httpRefusals } from './refusals.ts'

type Json = Record<string, unknown>

/** A table of `defineRefusals`, as far as a document needs it. */
export type RefusalTable = Readonly<Record<string, { readonly row: RefusalRow }>>

/** What decides which refusals an operation can answer with. */
export interface RefusedOperation {
  /** The plugin that declares the operation, or `host`. */
  readonly owner: string
  readonly isTool: boolean
  readonly takesBody: boolean
}

/** The responses that refuse an operation, shared by all operations with the same refusals. */
export interface RefusedResponses {
  /** By name, for `components.responses`. */
  readonly all: Readonly<Record<string, Json>>
  /** Status -> reference to a response of `all`. */
  of(operation: RefusedOperation): Json
}

/** Any request, before its caller is known, and the caller itself. */
const EVERY_REQUEST: RefusalTable = {
  ...picked(
    httpRefusals,
    'bad_request',
    'head_too_large',
    'head_timeout',
    'host_not_allowed',
    'origin_not_allowed',
    'unauthorized',
    'too_many_requests',
  ),
  ...picked(httpRefusals, 'stopping'),
  ...picked(tokenRefusals, 'scope_missing', 'token_unknown', 'token_expired', 'access_token_invalid'),
  ...picked(tokenRefusals, 'issuer_unavailable', 'tokens_unreadable'),
  ...picked(hostRefusals, 'plugin_authenticate_timeout'),
}
/** A request with a body. */
const BODY: RefusalTable = {
  ...picked(httpRefusals, 'media_type', 'body_timeout', 'limit_exceeded', 'not_utf8', 'body_not_json'),
  ...picked(httpRefusals, 'too_deep', 'too_many_values', 'unknown_argument'),
}
/** A call of a tool: its input, its caller's rights, the paths that it names, and its time. */
const TOOL: RefusalTable = {
  ...picked(hostRefusals, 'invalid_arguments', 'unknown_argument', 'session_needed', 'permission_denied'),
  ...picked(
    hostRefusals,
    'call_timeout',
    'call_cpu_limit',
    'too_many_files',
    'evidence_unknown',
    'evidence_timeout',
    'search_timeout',
  ),
  ...pathRefusals,
}

/** Creates the responses for the operations of an API document. `refusalsOf`: the refusals that an owner declares. */
export function createRefusedResponses(refusalsOf: (owner: string) => RefusalTable): RefusedResponses {
  const all: Record<string, Json> = {}
  return {
    all,
    of(operation) {
      const { owner, isTool, takesBody } = operation
      const name = [componentName(owner), ...(isTool ? ['tool'] : []), ...(takesBody ? ['body'] : [])].join(
        '-',
      )
      const tables = [EVERY_REQUEST, takesBody ? BODY : {}, isTool ? TOOL : {}, refusalsOf(owner)]
      const references = [...reasonsByStatus(tables)].map(([status, reasons]) => {
        all[`${name}-${status}`] ??= refusedResponse(status, reasons)
        return [status, { $ref: `#/components/responses/${name}-${status}` }] as const
      })
      return Object.fromEntries(references)
    },
  }
}

/** Status -> reasons in alphabetical order. Failures of the server itself have no row here: `default` describes them. */
function reasonsByStatus(tables: readonly RefusalTable[]): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, Set<string>>()
  for (const [name, { row }] of tables.flatMap((table) => Object.entries(table))) {
    if (row.code === 'internal') continue
    const reason = row.reason ?? name
    const status = transportStatus(reason) ?? ERROR_TABLE[row.code].http
    found.set(status, (found.get(status) ?? new Set()).add(reason))
  }
  return new Map(
    [...found].sort(([a], [b]) => a - b).map(([status, reasons]) => [status, [...reasons].sort()]),
  )
}

function refusedResponse(status: number, reasons: readonly string[]): Json {
  const title = Object.values(ERROR_TABLE).find(({ http }) => http === status)?.title ?? 'Invalid request'
  return {
    description: `${title}. Reasons: ${reasons.map((reason) => `\`${reason}\``).join(', ')}.`,
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Problem' },
            { type: 'object', properties: { status: { const: status }, reason: { enum: reasons } } },
          ],
        },
      },
    },
  }
}

function picked<Table extends RefusalTable>(table: Table, ...names: (keyof Table & string)[]): RefusalTable {
  return Object.fromEntries(names.map((name) => [name, table[name] as { readonly row: RefusalRow }])) // named by its type
}
