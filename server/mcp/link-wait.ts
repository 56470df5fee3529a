import { setTimeout as sleep } from 'node:timers/promises'
import type { WaitingTool } from '../contract/advanced/remote.ts'
import { isSatchelError } from '../contract/errors.ts'
import { isJsonObject } from '../platform/json-object.ts'
import type { WireResult } from './raw-table.ts'

/** Between two attempts while the remote server is away. */
const AWAY_PAUSE_MS = 250

interface Asking {
  /** Makes the call once, with these arguments. */
  ask(args: WireResult): Promise<WireResult>
  report(done: number, total: number): void
  readonly signal: AbortSignal
}

/**
 * Makes a call of a tool that waits in turns, so that no connection waits longer than a proxy allows and a restart of
 * the remote server does not end it. The first turn only looks: what is wrong with the call is said immediately.
 * Errors: those of the first turn; of a later one all but `unavailable`, which is waited out.
 */
export async function waitInTurns(tool: WaitingTool, args: WireResult, asking: Asking): Promise<WireResult> {
  const seconds = args[tool.secondsField] ?? tool.defaultSeconds
  if (!isSeconds(seconds, tool.maxSeconds)) return asking.ask(args)
  const beganMs = performance.now()
  const elapsed = (): number => Math.min((performance.now() - beganMs) / 1000, seconds)
  const turn = (ofSeconds: number): Promise<WireResult> =>
    asking.ask({ ...args, [tool.secondsField]: Math.ceil(ofSeconds) })

  let last = await turn(0)
  while (isOpen(last, tool) && elapsed() < seconds) {
    asking.report(elapsed(), seconds)
    const next = await turn(Math.min(seconds - elapsed(), tool.turnSeconds)).catch(awayOrThrow)
    asking.signal.throwIfAborted()
    if (next === undefined || isAway(next)) await sleep(AWAY_PAUSE_MS, undefined, { signal: asking.signal })
    else last = next
  }
  return last
}

function isSeconds(value: unknown, max: number): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max
}

function isOpen({ isError, structuredContent }: WireResult, { doneField }: WaitingTool): boolean {
  return isError !== true && isJsonObject(structuredContent) && structuredContent[doneField] === false
}

function awayOrThrow(thrown: unknown): undefined {
  if (!isSatchelError(thrown) || thrown.code !== 'unavailable') throw thrown
}

/** The remote server answers, but what it serves has not started again. */
function isAway({ isError, structuredContent }: WireResult): boolean {
  if (isError !== true || !isJsonObject(structuredContent)) return false
  const { error } = structuredContent
  return isJsonObject(error) && error['code'] === 'unavailable'
}
