interface Numbered {
  readonly event_id: number
}

/**
 * The events that follow below those of the view, newest first, after the view went on from `was` to `now`: what left it
 * at its end, then `older`; at most `most`. Nothing where events between are missing: they can be read again.
 */
export function olderEvents<Event extends Numbered>(
  { was, now }: { readonly was: readonly Event[]; readonly now: readonly Event[] },
  older: readonly Event[],
  most: number,
): readonly Event[] {
  const last = now.at(-1)?.event_id ?? 0
  const below = [...was, ...older].filter(({ event_id }) => event_id < last)
  return below[0]?.event_id === last - 1 ? below.slice(0, most) : []
}
