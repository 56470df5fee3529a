import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import { counted, defineTool, type HttpRoute } from '../../../server/plugin.ts'
import { AWAY_PAUSE_MS, isAway, isOwnerLost } from '../connection/away.ts'
import type { RoomAccess, RoomSession } from '../connection/room-access.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Feed } from '../feed.ts'
import { type Awaited, awaited, WAIT_SECONDS, WAIT_TURN_SECONDS, type Wish } from '../room/wait.ts'
import { ROOM_LISTENERS } from './room-tool.ts'
import { NEXT } from './shapes.ts'

const http: HttpRoute = { method: 'GET', path: '/workspace/wait', listeners: ROOM_LISTENERS }

/** Events that come together are told together. */
const GATHER_MS = 50

/** What ends a wait. */
export interface Waits {
  feed(): Feed
  /** Aborts when this process begins to stop. */
  readonly closing: AbortSignal
}

export function workspaceWait(access: RoomAccess, { feed, closing }: Waits) {
  return defineTool({
    name: 'workspace_wait',
    title: 'Wait for others',
    description:
      'Waits until a proposal was reviewed or overtaken, a handoff needs you, or any event after since_event_id; immediately if so already. happened: false: time is up or the server stops. gap: that id is not kept. Give one of the three.',
    profile: 'full',
    requires: 'observe',
    input: z.object({
      since_event_id: z.int().min(0).optional().describe('latest_event_id of an answer'),
      proposal_id: z.string().optional().describe('Proposal of yours'),
      handoff_id: z.string().optional().describe('Handoff of yours'),
      timeout_s: z.int().min(0).max(LIMITS.waitSeconds).optional().describe(`Default ${WAIT_SECONDS}`),
    }),
    output: z.object({
      happened: z.boolean(),
      latest_event_id: z.number(),
      gap: z.boolean().optional(),
      status: z.string().optional(),
      counts: z.record(z.string(), z.number()).optional(),
      next: NEXT.optional(),
    }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    example: { since_event_id: 0 },
    http,
    async handler(ctx, { timeout_s = WAIT_SECONDS, ...wish }) {
      const beganMs = performance.now()
      const elapsed = (): number => Math.min((performance.now() - beganMs) / 1000, timeout_s)
      const ending = AbortSignal.any([ctx.signal, closing])
      const look = (seconds: number, signal: AbortSignal): Promise<Awaited> =>
        access.perform<Awaited>(
          { ...ctx, signal },
          {
            route: http,
            input: { ...wish, timeout_s: Math.ceil(seconds) },
            here: (session) => waited(session, wish, { ms: seconds * 1000, signal, feed: feed() }),
          },
        )
      let lost: unknown
      // The first look says immediately what is wrong; an owner that ended or is silent is waited for.
      let found = await look(0, ctx.signal).catch((thrown: unknown) => {
        if (ctx.localTransport === undefined || !isOwnerLost(thrown)) throw thrown
        lost = thrown
        return undefined
      })
      while (!found?.happened && elapsed() < timeout_s && !closing.aborted) {
        found = await look(Math.min(timeout_s - elapsed(), WAIT_TURN_SECONDS), ending).catch(
          (thrown: unknown) => {
            if (closing.aborted) return found
            if (ctx.localTransport === undefined || !isAway(thrown)) throw thrown
            return pause(AWAY_PAUSE_MS).then(() => found)
          },
        )
        ctx.progress(elapsed(), timeout_s)
        ctx.signal.throwIfAborted()
      }
      if (!found) throw lost // it was away all the time
      return withNext(found, wish.since_event_id)
    },
    headline: ({ happened, gap = false, status, counts = {} }) => {
      if (!happened) return 'Nothing happened before the time was up.'
      if (status !== undefined) return `It is ${status}.`
      const events = counted(
        Object.values(counts).reduce((sum, one) => sum + one, 0),
        'event',
      )
      return gap ? `${events}, and not all that came after that id.` : `${events}.`
    },
  })
}

interface Waiting {
  readonly ms: number
  readonly signal: AbortSignal
  readonly feed: Feed
}

/** Looks, and again after each event, until it happened or the time is up. */
async function waited({ room, sessionId }: RoomSession, wish: Wish, how: Waiting): Promise<Awaited> {
  const end = performance.now() + how.ms
  await room.look()
  for (;;) {
    const found = await room.read(sessionId, (view) => awaited(view, wish))
    const leftMs = end - performance.now()
    if (found.happened || leftMs <= 0 || !(await how.feed.next(leftMs, how.signal))) return found
    await new Promise((resolve) => setTimeout(resolve, GATHER_MS))
  }
}

function withNext(found: Awaited, since: number | undefined) {
  if (!found.happened || since === undefined) return { ...found }
  return { ...found, next: { tool: 'workspace_changes', args: { since_event_id: since } } }
}
