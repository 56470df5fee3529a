import { randomBytes } from 'node:crypto'
import type { z } from 'zod'
import type { Capability, Principal } from './contract/advanced/principal.ts'
import { startedTask, type TaskState } from './contract/advanced/task.ts'
import type { CallContext } from './contract/context.ts'
import { type FieldError, isSatchelError, type NextStep, SatchelError } from './contract/errors.ts'
import type { Tool } from './contract/tool.ts'
import { isJsonObject } from './platform/json-object.ts'
import { nearest } from './platform/nearest.ts'

/** A tool as the host registered it: the declaration and who lent it. */
export interface OwnedTool {
  readonly tool: Tool
  readonly plugin: string
}

/** What a tool answered: the data, and its digest as text; or the task that goes on. */
export type CallAnswer =
  | { readonly kind: 'done'; readonly data: Record<string, unknown>; readonly text: string }
  | { readonly kind: 'task'; readonly task: TaskState }

/** Room for a digest (surface, section 7). */
const DIGEST_MAX_CHARS = 1200

/**
 * The only way a tool runs, at every door: authorize, parse, handle, check the output, map what was thrown.
 * `visible` says which tools the caller can see; a `next` that names another one is left out.
 * Errors: a `SatchelError`, and nothing else.
 */
export async function call(
  owned: OwnedTool,
  rawInput: unknown,
  ctx: CallContext,
  visible: (toolName: string) => boolean = () => true,
): Promise<CallAnswer> {
  try {
    authorize(owned, ctx.principal)
    const input = parseInput(owned.tool, rawInput)
    ctx.signal.throwIfAborted()
    const answer = await owned.tool.handler(ctx, input)
    const task = startedTask(answer)
    if (task) return { kind: 'task', task }
    const data = checkOutput(owned.tool, answer)
    return { kind: 'done', data, text: owned.tool.digest(data).slice(0, DIGEST_MAX_CHARS) }
  } catch (thrown) {
    throw asCallerError(thrown, ctx, owned.tool.name, visible)
  }
}

/**
 * Refuses a principal that may not use what `plugin` lends under `requires`.
 * Errors: `unauthorized`/`unauthorized` without a session, `forbidden`/`permission_denied` with one.
 */
export function authorize(
  owned: { readonly plugin: string; readonly tool: { readonly requires?: Capability } },
  principal: Principal,
): void {
  const { requires } = owned.tool
  if (principal.kind === 'session' && principal.plugin !== owned.plugin) throw denied()
  if (requires === undefined) return
  if (principal.kind !== 'session') {
    throw new SatchelError(
      'unauthorized',
      'unauthorized',
      'This needs a workspace session: join the room first.',
    )
  }
  const { capabilities } = principal
  if (!capabilities.includes(requires) && !capabilities.includes('admin')) throw denied(requires)
}

/**
 * Whatever was thrown, as the error a caller may see. What is not a `SatchelError` becomes `Internal error` with a
 * log id; its own text goes to the log only.
 */
export function asCallerError(
  thrown: unknown,
  ctx: Pick<CallContext, 'log' | 'signal'>,
  what: string,
  visible: (toolName: string) => boolean = () => true,
): SatchelError {
  if (isSatchelError(thrown) && thrown.code === 'internal') return withLoggedCause(thrown, ctx, what)
  if (isSatchelError(thrown)) return withVisibleNext(thrown, visible)
  if (ctx.signal.aborted) return new SatchelError('cancelled', 'cancelled', 'The call was cancelled.')
  const logId = randomBytes(6).toString('hex')
  ctx.log.error('internal error', { log_id: logId, what, error: thrown })
  return new SatchelError('internal', 'internal', 'Internal error', {
    details: { log_id: logId },
    cause: thrown,
  })
}

/** A failure that says of itself what failed: why goes to the log, once. */
function withLoggedCause(error: SatchelError, { log }: Pick<CallContext, 'log'>, what: string): SatchelError {
  if (error.cause === undefined || error.details?.['log_id'] !== undefined) return error
  const logId = randomBytes(6).toString('hex')
  log.error(error.message, { log_id: logId, what, error: error.cause })
  return new SatchelError(error.code, error.reason, error.message, {
    details: { ...error.details, log_id: logId },
    cause: error.cause,
  })
}

function withVisibleNext(error: SatchelError, visible: (toolName: string) => boolean): SatchelError {
  const next: NextStep | undefined = error.next
  if (next === undefined || visible(next.tool)) return error
  return new SatchelError(error.code, error.reason, error.message, {
    ...(error.details && { details: error.details }),
    cause: error,
  })
}

function denied(capability?: Capability): SatchelError {
  const what = capability ? ` It needs the capability "${capability}".` : ''
  return new SatchelError('forbidden', 'permission_denied', `This session may not do that.${what}`)
}

function parseInput(tool: Tool, rawInput: unknown): Record<string, unknown> {
  const known = Object.keys(tool.input.shape)
  if (!isJsonObject(rawInput)) {
    throw new SatchelError('invalid', 'invalid_arguments', 'The input must be a JSON object.')
  }
  for (const name of Object.keys(rawInput)) {
    if (!Object.hasOwn(tool.input.shape, name)) throw unknownArgument(name, known)
  }
  const parsed = tool.input.safeParse(rawInput)
  if (parsed.success) return parsed.data
  const errors = fieldErrors(parsed.error)
  const first = errors[0]
  throw new SatchelError('invalid', 'invalid_arguments', `${first?.pointer || 'input'}: ${first?.message}`, {
    details: { errors },
  })
}

function unknownArgument(name: string, known: readonly string[]): SatchelError {
  const near = nearest(name, known)
  const shown = name.slice(0, 80)
  const hint = near ? ` Did you mean "${near}"?` : ` Known: ${known.join(', ') || 'none'}.`
  return new SatchelError('invalid', 'unknown_argument', `Unknown argument "${shown}".${hint}`, {
    details: {
      argument: shown,
      ...(near && { nearest: near }),
      errors: [{ pointer: `/${escapeToken(shown)}`, message: 'unknown argument' }],
    },
  })
}

/** Every zod issue as a JSON pointer and a sentence. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  return error.issues.map((issue) => ({
    pointer: issue.path.map((token) => `/${escapeToken(String(token))}`).join(''),
    message: sentenceOf(issue),
  }))
}

/** zod says of a field that is not there which kind of "undefined" it is. */
function sentenceOf({ code, message }: z.core.$ZodIssue): string {
  const isMissing = code === 'invalid_type' && message.endsWith(', received undefined')
  return isMissing
    ? message.replace(/^.*expected (.*), received undefined$/, 'is missing; it is of type $1')
    : message
}

function escapeToken(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1')
}

function checkOutput(tool: Tool, answer: unknown): Record<string, unknown> {
  const parsed = tool.output.safeParse(answer)
  if (!parsed.success)
    throw new TypeError(`${tool.name} answered what its output schema refuses: ${parsed.error.message}`)
  return parsed.data
}
