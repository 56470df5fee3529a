import type { Terminal } from '../../../server/plugin.ts'
import type { RoomEvent } from '../domain/event.ts'

/** Prints a result: one JSON document with `--json`, else the given lines. */
export function print(terminal: Terminal, data: unknown, human: () => string): void {
  terminal.write(terminal.json ? `${JSON.stringify(data)}\n` : `${human()}\n`)
}

/** An event as one line for people: `12  2026-11-20T13:00:00  proposal.created  Say why`. */
export function eventLine({ event_id, event_type, created_at, payload, version }: RoomEvent): string {
  const what = typeof payload['summary'] === 'string' ? payload['summary'] : subject(payload)
  const at = created_at.slice(0, 19)
  return [String(event_id).padStart(5), at, event_type, version === undefined ? '' : `v${version}`, what]
    .filter((part) => part !== '')
    .join('  ')
}

function subject(payload: RoomEvent['payload']): string {
  for (const key of ['name', 'target', 'status', 'reason']) {
    const value = payload[key]
    if (typeof value === 'string') return value
  }
  return ''
}
