import { z } from 'zod'
import { type Command, defineCommand, type Host } from '../../../server/plugin.ts'
import { callOwner } from '../connection/link.ts'
import type { RoomProcess } from '../connection/room-process.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Awaited } from '../room/wait.ts'
import { printAnswer } from './printing.ts'
import { ROOM_FLAG, type Target, withLook } from './target.ts'

/** One request waits this long: the link gives up on longer ones. */
const TURN_SECONDS = 15
const TIME_UP = 3 // surface: the exit code of a check with findings

/** `satchel workspace wait`: for hooks and scripts. */
export function waitCommand(host: Host, room: RoomProcess): Command {
  return defineCommand({
    cli: 'workspace wait',
    title: 'wait for a review, a handoff or any event',
    description:
      'Waits until a proposal was reviewed, a handoff went on, or an event came after an id. Exits with 0 when it happened, with 3 when the time was up. Give one of the three.',
    input: z.object({
      room: ROOM_FLAG,
      since: z.coerce.number().int().min(0).optional().describe('any event after this id'),
      proposal: z.string().optional().describe('id of a proposal: until it was reviewed or overtaken'),
      handoff: z.string().optional().describe('id of a handoff: until its result is ready'),
      timeout: z.coerce
        .number()
        .int()
        .min(0)
        .max(LIMITS.waitSeconds)
        .optional()
        .describe('seconds, default 60'),
    }),
    example: 'satchel workspace wait --since 0 --room plan.md',
    run: (ctx, { room: file, timeout = 60, ...ids }, terminal) =>
      withLook(host, room, file, async (target) => {
        const found = await awaitedAt(target, ids, { timeout, signal: ctx.signal })
        await printAnswer(terminal, found, found.happened ? 'It happened.' : 'The time was up.')
        return found.happened ? 0 : TIME_UP
      }),
  })
}

interface Ids {
  readonly since?: number | undefined
  readonly proposal?: string | undefined
  readonly handoff?: string | undefined
}

async function awaitedAt(
  { address, token }: Target,
  { since, proposal, handoff }: Ids,
  { timeout, signal }: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<Awaited> {
  const beganMs = performance.now()
  const wish = { since_event_id: since, proposal_id: proposal, handoff_id: handoff }
  const given = Object.entries(wish).filter(([, value]) => value !== undefined)
  for (;;) {
    const left = Math.max(0, timeout - (performance.now() - beganMs) / 1000)
    const turn = Math.min(left, TURN_SECONDS)
    const query = new URLSearchParams({ timeout_s: String(Math.ceil(turn)) })
    for (const [name, value] of given) query.set(name, String(value))
    const path = `/workspace/wait?${query}`
    const found = (await callOwner(address, { method: 'GET', path, token, signal })) as Awaited // the route's answer
    if (found.happened || left <= turn) return found
  }
}
