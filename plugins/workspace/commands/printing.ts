import type { Terminal } from '../../../server/plugin.ts'
import type { RoomEvent } from '../domain/event.ts'

/** Prints a result: one line of JSON with `--json`, otherwise the headline and what is shown to a person. */
export async function printAnswer(
  terminal: Terminal,
  data: object,
  headline: string,
  shown: object = data,
): Promise<void> {
  if (terminal.json) print(terminal, data, () => '')
  else await terminal.answer(headline, { ...shown })
}

/** Prints a result that others copy or read as it is, such as a link: one line of JSON with `--json`. */
export function print(terminal: Terminal, data: unknown, human: () => string): void {
  terminal.write(terminal.json ? `${JSON.stringify(data)}\n` : `${human()}\n`)
}

/** What a person sees of an event: a row of a table. */
export function eventRow({ event_id, event_type, created_at, payload, version }: RoomEvent) {
  const what = typeof payload['summary'] === 'string' ? payload['summary'] : subject(payload)
  return { id: event_id, time: created_at.slice(0, 19), event: event_type, version, what }
}

/** An event as one line for people: `12  2026-11-20T13:00:00  proposal.created  Say why`. */
export function eventLine(roomEvent: RoomEvent): string {
  const { id, time, event, version, what } = eventRow(roomEvent)
  return [String(id).padStart(5), time, event, version === undefined ? '' : `v${version}`, what]
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
