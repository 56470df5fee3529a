import { randomBytes } from 'node:crypto'
import type { Capability, Principal } from './contract/advanced/principal.ts'
import { startedTask, type TaskState } from './contract/advanced/task.ts'
import type { CallContext } from './contract/context.ts'
import {
  ERROR_CODES,
  errorBody,
  errorFromBody,
  type FieldError,
  isSatchelError,
  type NextStep,
  type SatchelError,
} from './contract/errors.ts'
import type { Tool } from './contract/tool.ts'
import { fieldErrors, invalidArguments } from './field-errors.ts'
import { forgivenInput } from './forgiving-input.ts'
import { takesAnything } from './open-schema.ts'
import { isJsonObject } from './platform/json-object.ts'
import { asJsonObject, isJson, isPlainJson } from './platform/json-value.ts'
import { limitWork } from './platform/turns.ts'
import { within } from './platform/within.ts'
import { refusals } from './refusals.ts'
import { levelOf, requireScope } from './tokens/scopes.ts'
import { requireKnownArguments } from './unknown-key.ts'

/** A tool as the host registered it: the declaration and its plugin. */
export interface OwnedTool {
  readonly tool: Tool
  readonly plugin: string
  /** The plugin's sentence on how a caller gets a session. */
  readonly howToJoin?: string
}

/** The answer of a tool: the data and the parsed input, or the started task. */
export type CallAnswer =
  | {
      readonly kind: 'done'
      readonly data: Record<string, unknown>
      readonly input: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'task'; readonly task: TaskState }

/** What a plugin's work for a caller may take. */
export interface CallLimits {
  /** Time for the handler; absent: no limit. */
  readonly limitMs?: number
  /** Time of the processor for its work in turns; absent: no limit. */
  readonly cpuLimitMs?: number
}

export interface CallRules extends CallLimits {
  /** Reports which tools the caller can see; a `next` that names another tool is omitted. */
  readonly visible?: (toolName: string) => boolean
  /** Throws for a task whose result no caller could get. Absent: none is looked at. */
  readonly requireOwnTask?: (task: TaskState) => void
}

/**
 * Runs a tool, for every door: authorize, parse, handle, check the output, map errors.
 * Errors: only `SatchelError`.
 */
export async function call(
  owned: OwnedTool,
  rawInput: unknown,
  ctx: CallContext,
  rules: CallRules = {},
): Promise<CallAnswer> {
  try {
    authorize(owned, ctx.principal)
    const input = parseInput(owned.tool, rawInput)
    ctx.signal.throwIfAborted()
    const answer = await limited({ tool: owned.tool.name }, ctx, rules, async (inTime) =>
      owned.tool.handler(inTime, input),
    )
    const task = startedTask(answer)
    if (task && !ctx.acceptsTask)
      throw new TypeError(`${owned.tool.name} answered with a task, which this caller does not accept`)
    if (task) {
      rules.requireOwnTask?.(task)
      return { kind: 'task', task }
    }
    return { kind: 'done', data: checkOutput(owned.tool, answer, ctx), input }
  } catch (thrown) {
    throw asCallerError(thrown, ctx, owned.tool.name, rules.visible)
  }
}

/**
 * Runs the work of a plugin, which `named` names in the log. After a limit its signal aborts and the caller is answered.
 * Errors: `unavailable`/`call_timeout`, `call_cpu_limit`; those of the work.
 */
export async function limited<T>(
  named: Readonly<Record<string, string>>,
  ctx: CallContext,
  { limitMs, cpuLimitMs }: CallLimits,
  work: (ctx: CallContext) => Promise<T>,
): Promise<T> {
  if (limitMs === undefined && cpuLimitMs === undefined) return work(ctx)
  const ending = new AbortController()
  const signal = AbortSignal.any([ctx.signal, ending.signal])
  const ended = (message: string, limit: number, refused: SatchelError): SatchelError => {
    ctx.log.warn(message, { ...named, limit_ms: limit })
    ending.abort(refused)
    return refused
  }
  if (cpuLimitMs !== undefined) {
    const refused = () => refusals.call_cpu_limit({ seconds: cpuLimitMs / 1000 })
    limitWork(signal, cpuLimitMs, () =>
      ended('a call computed too long and was ended', cpuLimitMs, refused()),
    )
  }
  const run = () => work({ ...ctx, signal })
  if (limitMs === undefined) return run()
  const late = () => refusals.call_timeout({ seconds: limitMs / 1000 })
  return within(limitMs, () => ended('a call took too long and was ended', limitMs, late()), run)
}

/**
 * Refuses a principal that may not use a declaration of `plugin` with this `requires`.
 * Errors: `forbidden`/`scope_missing` for a token; `unauthorized`/`unauthorized` without a session,
 * `forbidden`/`permission_denied` with one.
 */
export function authorize(
  owned: {
    readonly plugin: string
    readonly howToJoin?: string
    readonly tool: Pick<Partial<Tool>, 'requires' | 'annotations' | 'scope'>
  },
  principal: Principal,
): void {
  const { requires } = owned.tool
  requireScope(principal, owned.plugin, levelOf(owned.tool))
  if (principal.kind === 'session' && principal.plugin !== owned.plugin) throw denied()
  if (requires === undefined) return
  if (principal.kind !== 'session') {
    const how = owned.howToJoin ?? 'Authenticate first.'
    throw refusals.session_needed({ plugin: owned.plugin, how })
  }
  const { capabilities } = principal
  if (!capabilities.includes(requires) && !capabilities.includes('admin')) throw denied(requires)
}

/**
 * Converts any thrown value to the SatchelError that callers see. A value that is not a `SatchelError` becomes
 * `Internal error` with a log id; its own text goes to the log only.
 */
export function asCallerError(
  thrown: unknown,
  ctx: Pick<CallContext, 'log' | 'signal'>,
  what: string,
  visible: (toolName: string) => boolean = () => true,
): SatchelError {
  const refused = isSatchelError(thrown) ? wireable(thrown, ctx, what) : undefined
  if (refused?.code === 'internal') return withLoggedCause(refused, ctx, what)
  if (refused) return withVisibleNext(refused, visible)
  if (ctx.signal.aborted) return refusals.cancelled()
  if (isOutOfFiles(thrown)) {
    ctx.log.warn('no further file can be opened', { what, error: thrown })
    return refusals.too_many_files({ cause: thrown })
  }
  const logId = randomBytes(6).toString('hex')
  ctx.log.error('internal error', { log_id: logId, what, error: thrown })
  return refusals.internal({ details: { log_id: logId }, cause: thrown })
}

/** Of the process or of the system: no fault of the code that met it. */
function isOutOfFiles(thrown: unknown): boolean {
  const { code } = (thrown ?? {}) as NodeJS.ErrnoException // undefined for all other values
  return code === 'EMFILE' || code === 'ENFILE'
}

/**
 * Returns the refusal itself if every door can send it; otherwise one whose details are JSON, which is logged. Undefined for
 * one without a code of the list, which is an error of the plugin like any other.
 */
function wireable(
  error: SatchelError,
  { log }: Pick<CallContext, 'log'>,
  what: string,
): SatchelError | undefined {
  const { code, details, untrusted, next, cause } = error
  if (!ERROR_CODES.includes(code)) return undefined
  if (isJson(details) && isJson(next)) return error
  log.warn('a refusal has details that are not JSON; they were converted', { what, reason: error.reason })
  const body = { code, reason: String(error.reason), message: String(error.message) }
  const plain = asJsonObject(details)
  return errorFromBody(
    {
      ...body,
      ...(plain && { details: plain }),
      ...(untrusted && { untrusted }),
      ...(isJson(next) && next && { next }),
    },
    cause,
  )
}

/** Creates an internal error with its own message and logs its cause once. */
function withLoggedCause(error: SatchelError, { log }: Pick<CallContext, 'log'>, what: string): SatchelError {
  if (error.cause === undefined || error.details?.['log_id'] !== undefined) return error
  const logId = randomBytes(6).toString('hex')
  log.error(error.message, { log_id: logId, what, error: error.cause })
  return errorFromBody({ ...errorBody(error), details: { ...error.details, log_id: logId } }, error.cause)
}

function withVisibleNext(error: SatchelError, visible: (toolName: string) => boolean): SatchelError {
  const next: NextStep | undefined = error.next
  if (next === undefined || visible(next.tool)) return error
  const { next: _, ...rest } = errorBody(error)
  return errorFromBody(rest, error)
}

function denied(capability?: Capability): SatchelError {
  return capability === undefined ? refusals.permission_denied() : refusals.capability_missing({ capability })
}

function parseInput(tool: Tool, rawInput: unknown): Record<string, unknown> {
  if (!isJsonObject(rawInput)) {
    throw refusals.input_not_object()
  }
  requireKnownArguments(tool.input, rawInput)
  const parsed = tool.input.safeParse(rawInput)
  if (parsed.success) return parsed.data
  const forgiven = forgivenInput(tool.input, rawInput, parsed.error)
  if (forgiven) return forgiven
  throw invalidArguments(parsed.error, rawInput)
}

/** Returns the data of an answer as its tool declares it. Errors: `TypeError`, an error of the plugin. */
export function checkOutput(
  tool: Tool,
  answer: unknown,
  { log }: Pick<CallContext, 'log'>,
): Record<string, unknown> {
  const parsed = tool.output.safeParse(answer)
  if (!parsed.success) throw new TypeError(outputFault(tool, fieldErrors(parsed.error, answer)))
  const { data } = parsed
  if (!takesAnything(tool.output) || isPlainJson(data)) return data
  const plain = jsonOf(data, tool)
  log.warn('an answer has values that are not JSON; they were converted', { what: tool.name })
  return plain
}

/** Names the first fields only: each entry of a list may have the same fault. */
function outputFault({ name }: Tool, errors: readonly FieldError[]): string {
  const named = errors.slice(0, 3).map(({ pointer, message }) => `${pointer || 'the answer'}: ${message}`)
  const more = errors.length > named.length ? `; and ${errors.length - named.length} more` : ''
  return `${name} answered what its output schema refuses: ${named.join('; ')}${more}`
}

/** As `JSON.stringify` converts it: a date is a text. What it cannot convert is an error of the plugin. */
function jsonOf(data: Record<string, unknown>, { name }: Tool): Record<string, unknown> {
  try {
    return JSON.parse(JSON.stringify(data))
  } catch (cause) {
    throw new TypeError(`${name} answered with what cannot be converted to JSON`, { cause })
  }
}
