import type { EventType } from './domain/event.ts'

/** The scheme and authority of every URI of a room. */
export const ROOM_URI = 'satchel://workspace'

const FAMILY_RESOURCES: Readonly<Record<string, readonly string[]>> = {
  change: ['document', 'status'],
  proposal: ['proposals', 'status'],
  lease: ['leases', 'status'],
  participant: ['participants', 'status'],
  workspace: ['status'],
}

/** The resources that an event of this type changed; sessions, invitations, handoffs and tasks change none. */
export function changedResources(type: EventType): readonly string[] {
  const family = type.slice(0, type.indexOf('.'))
  return (FAMILY_RESOURCES[family] ?? []).map((name) => `${ROOM_URI}/${name}`)
}
