/** Text that a person typed for a target and has not sent. */
export interface Draft {
  readonly id: string
  readonly target: string
  /** The text that the draft began from, with LF, and its version. */
  readonly base: string
  readonly base_version: number
  readonly text: string
  readonly why: string
  /** What was sent of it, as long as no answer came. */
  readonly sent?: object
  /** Milliseconds since 1970. */
  readonly at: number
}

/** The part of the browser's `Storage` that drafts use. */
export interface DraftStorage {
  readonly length: number
  key(index: number): string | null
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

export interface Drafts {
  /** Newest first. */
  list(): readonly Draft[]
  find(id: string): Draft | undefined
  /** Keeps the draft, or removes one that changes nothing. False when the browser's storage is full or closed. */
  keep(draft: Draft): boolean
  remove(id: string): void
}

/** The drafts of one room in the storage of this browser, which all its tabs share. */
export function createDrafts(parts: {
  readonly storage: DraftStorage
  readonly workspaceId: string
  now(): number
}): Drafts {
  const { storage, workspaceId, now } = parts
  const prefix = `satchel:draft:${workspaceId}:`
  const keys = (): string[] =>
    Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '').filter((key) =>
      key.startsWith(prefix),
    )
  return {
    list: () =>
      keys()
        .flatMap((key) => draftIn(storage.getItem(key)) ?? [])
        .sort((a, b) => b.at - a.at),
    find: (id) => draftIn(storage.getItem(prefix + id)),
    keep(draft) {
      try {
        if (draft.text === draft.base && draft.why === '') storage.removeItem(prefix + draft.id)
        else storage.setItem(prefix + draft.id, JSON.stringify({ ...draft, at: now() }))
        return true
      } catch {
        return false
      }
    },
    remove: (id) => storage.removeItem(prefix + id),
  }
}

/** Undefined for what another program or version of the page wrote. */
function draftIn(json: string | null): Draft | undefined {
  try {
    const found: unknown = JSON.parse(json ?? 'null')
    if (typeof found !== 'object' || found === null) return undefined
    const { id, target, base, base_version, text, why, at } = found as Partial<Draft> // checked below
    const texts = [id, target, base, text, why]
    if (!texts.every((one) => typeof one === 'string')) return undefined
    if (typeof base_version !== 'number' || typeof at !== 'number') return undefined
    return found as Draft // every field was checked
  } catch {
    return undefined
  }
}
