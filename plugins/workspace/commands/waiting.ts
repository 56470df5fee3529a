import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import { type Command, defineCommand, type Host } from '../../../server/plugin.ts'
import { AWAY_PAUSE_MS, isAway } from '../connection/away.ts'
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
    async run(ctx, { room: file, timeout = 60, ...ids }, terminal) {
      const look = (seconds: number) =>
        withLook(host, room, file, (target) => awaitedAt(target, ids, { seconds, signal: ctx.signal }))
      const found = await untilHappened(look, timeout)
      await printAnswer(terminal, found, headlineOf(found))
      return found.happened ? 0 : TIME_UP
    },
  })
}

function headlineOf({ happened, gap }: Awaited): string {
  if (gap)
    return 'Events after that id are not kept, or it is none of this room; see satchel workspace status.'
  return happened ? 'It happened.' : 'The time was up.'
}

interface Ids {
  readonly since?: number | undefined
  readonly proposal?: string | undefined
  readonly handoff?: string | undefined
}

/** Looks in turns until it happened or the time is up. After the first look an owner that ends is waited for. */
async function untilHappened(look: (seconds: number) => Promise<Awaited>, timeout: number): Promise<Awaited> {
  const end = performance.now() + timeout * 1000
  let found = await look(0)
  for (let left = timeout; !found.happened && left > 0; left = (end - performance.now()) / 1000) {
    try {
      found = await look(Math.min(left, TURN_SECONDS))
    } catch (thrown) {
      if (!isAway(thrown)) throw thrown
      await pause(AWAY_PAUSE_MS)
    }
  }
  return found
}

async function awaitedAt(
  { address, token }: Target,
  { since, proposal, handoff }: Ids,
  { seconds, signal }: { readonly seconds: number; readonly signal: AbortSignal },
): Promise<Awaited> {
  const wish = { since_event_id: since, proposal_id: proposal, handoff_id: handoff }
  const query = new URLSearchParams({ timeout_s: String(Math.ceil(seconds)) })
  for (const [name, value] of Object.entries(wish)) if (value !== undefined) query.set(name, String(value))
  const path = `/workspace/wait?${query}`
  return (await callOwner(address, { method: 'GET', path, token, signal })) as Awaited // the route's answer
}
