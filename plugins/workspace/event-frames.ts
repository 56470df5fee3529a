import type { RoomEvent } from './domain/event.ts'

/** Exactly two lines (spec workspace-events "Browser stream format"). */
export function eventFrame(event: RoomEvent): Buffer {
  return Buffer.from(`id: ${event.event_id}\ndata: ${JSON.stringify(event)}\n\n`)
}

/** Tells a reader that it missed events; it then reloads the room. */
export function resyncFrame(reason: 'gap' | 'lagged'): Buffer {
  return Buffer.from(`event: resync\ndata: {"reason":"${reason}"}\n\n`)
}
