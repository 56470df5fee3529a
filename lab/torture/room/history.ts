interface Issued {
  readonly at: number
  refusedAt: number | undefined
}

/** What a run did and what it was told, by the number of disk changes at that moment. */
export interface History {
  /** A change ran in the mutex and took this event id; `at` is now unless told. */
  issue(eventId: number, change: string, at?: number): void
  /** Its caller was told that it did not happen. */
  refuse(eventId: number, change: string): void
  /** Everything up to this event was shown to a reader: by an answer, a published event or a read. */
  tell(eventId: number): void
  /** The sha256 of a text that the file may hold, and who wrote it. */
  text(hash: string, by: 'us' | 'editor'): void
  /** Something went wrong that no recovery would show. */
  complain(fault: string): void
  complaints(): readonly string[]
  /** Whether a room recovered from a cut after `at` changes may hold this change. */
  allows(eventId: number, change: string, at: number): boolean
  /** The highest event that anybody had been shown after `at` changes. */
  toldBy(at: number): number
  knows(hash: string): boolean
  isEdit(hash: string): boolean
}

/** `now` counts disk changes. */
export function createHistory(now: () => number): History {
  const issued = new Map<string, Issued[]>()
  const told: { at: number; eventId: number }[] = []
  const texts = new Map<string, 'us' | 'editor'>()
  const complaints: string[] = []
  const key = (eventId: number, change: string): string => `${eventId} ${change}`
  return {
    issue: (eventId, change, at = now()) => {
      const name = key(eventId, change)
      issued.set(name, [...(issued.get(name) ?? []), { at, refusedAt: undefined }])
    },
    refuse: (eventId, change) => {
      const last = issued.get(key(eventId, change))?.at(-1)
      if (last) last.refusedAt = now()
    },
    tell: (eventId) => {
      if (eventId > (told.at(-1)?.eventId ?? 0)) told.push({ at: now(), eventId })
    },
    text: (hash, by) => {
      texts.set(hash, by)
    },
    complain: (fault) => {
      complaints.push(fault)
    },
    complaints: () => complaints,
    allows: (eventId, change, at) =>
      (issued.get(key(eventId, change)) ?? []).some(
        (entry) => entry.at <= at && (entry.refusedAt === undefined || entry.refusedAt > at),
      ),
    toldBy: (at) => told.findLast((entry) => entry.at <= at)?.eventId ?? 0,
    knows: (hash) => texts.has(hash),
    isEdit: (hash) => texts.get(hash) === 'editor',
  }
}

/** The history written by a process that may be killed: nothing that it does afterwards is seen. */
export function historyOf(history: History, isDead: () => boolean): History {
  const alive =
    <A extends readonly unknown[]>(write: (...given: A) => void) =>
    (...given: A): void => {
      if (!isDead()) write(...given)
    }
  return {
    ...history,
    issue: alive(history.issue),
    refuse: alive(history.refuse),
    tell: alive(history.tell),
    text: alive(history.text),
    complain: alive(history.complain),
  }
}
