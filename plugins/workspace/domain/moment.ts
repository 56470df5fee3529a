/**
 * A moment as the room stores it: RFC 3339, microseconds, numeric offset, never `Z`
 * (spec workspace-events "Event envelope"). Always UTC and of fixed width, so text order is time order.
 */
export type Moment = string

/** Microseconds since 1970, as a whole number (exact until the year 2255). */
export type Micros = number

export const MICROS_PER_MINUTE = 60_000_000
export const MICROS_PER_SECOND = 1_000_000

/** Microseconds as a stored moment: `2026-11-20T13:00:00.123456+00:00`. */
export function formatMoment(micros: Micros): Moment {
  const millis = Math.floor(micros / 1000)
  const rest = String(micros - millis * 1000).padStart(3, '0')
  return new Date(millis).toISOString().replace('Z', `${rest}+00:00`)
}

/** The inverse of `formatMoment`; undefined for any other text. */
export function parseMoment(text: string): Micros | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})(\d{3})\+00:00$/.exec(text)
  if (!match) return undefined
  const millis = Date.parse(`${match[1]}Z`)
  return Number.isNaN(millis) ? undefined : millis * 1000 + Number(match[2])
}

/** `moment` moved by whole minutes. */
export function addMinutes(moment: Moment, minutes: number): Moment {
  return addMicros(moment, minutes * MICROS_PER_MINUTE)
}

/** `moment` moved by microseconds. Errors: `RangeError` for what is not a stored moment. */
export function addMicros(moment: Moment, micros: Micros): Moment {
  return formatMoment(microsOf(moment) + micros)
}

/** Whole seconds from `from` until `to`, rounded up, at least 0. */
export function secondsUntil(from: Moment, to: Moment): number {
  return Math.max(0, Math.ceil((microsOf(to) - microsOf(from)) / MICROS_PER_SECOND))
}

/** A stored moment as microseconds. Errors: `RangeError` for what is not a stored moment. */
export function microsOf(moment: Moment): Micros {
  const micros = parseMoment(moment)
  if (micros === undefined) throw new RangeError('not a stored moment')
  return micros
}
