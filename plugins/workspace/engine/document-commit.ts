import { basename } from 'node:path'
import { allWritten, isFlushFailure, isSatchelError, removeQuietly } from '../../../server/plugin.ts'
import type { NewVersion, Tx } from '../domain/rows.ts'
import { refusals } from '../reasons.ts'
import { storedText } from './bodies.ts'
import type { FileText, MarkdownFile, Seen } from './markdown-file.ts'
import { type Draft, notMaterialized, openRows } from './transaction.ts'
import { append, longTexts, publish, rollback, type StoreState, transact, writeFailure } from './writer.ts'

/**
 * Commits an open transaction that touches files: the staged file and the texts too long for a record (side by side:
 * neither needs the other), the record with the other texts, the flush, the file. In this order a power cut leaves the
 * previous version or the newest, and a full disk refuses before anything happened. Resolves when all is durable and
 * published. `staged` is the version to put into the file, if any.
 */
export async function commitWithFiles(
  state: StoreState,
  draft: Draft,
  staged: NewVersion | undefined,
): Promise<void> {
  const outcome = await storeWithFiles(
    state,
    draft,
    staged && fileText(draft, staged),
    state.ledger.meta.hash,
  )
  if (outcome?.kind === 'moved') await takeExternalQuietly(state, outcome.seen)
  if (outcome?.kind === 'failed') throw outcome.error
}

function fileText(draft: Draft, { text, hash }: NewVersion): FileText {
  return { ...(draft.bodies.get(hash) ?? storedText(text)), hash }
}

/** The newest version, for a file that does not have it. */
function newestFileText({ ledger, newestText }: StoreState): FileText {
  return { ...storedText(newestText()), hash: ledger.meta.hash }
}

/** The same, with `staged` put into a file whose text has the hash `expected`; what became of that is the answer. */
async function storeWithFiles(
  state: StoreState,
  draft: Draft,
  staged: FileText | undefined,
  expected: string,
): Promise<Outcome | undefined> {
  const temp = staged && state.tempPath()
  const long = longTexts(state, draft)
  try {
    await writeFiles(state, long, temp, staged)
    append(state, draft, temp === undefined)
  } catch (thrown) {
    if (temp) await removeQuietly(state.disk, temp)
    // No record names them; on a full disk they would take what is left.
    if (!state.isPoisoned()) for (const [sha256] of long) await discardQuietly(state, sha256)
    throw thrown
  }
  await state.flusher.settled()
  const outcome = temp ? await putInPlace(state, temp, expected) : undefined
  // A flush may have failed meanwhile: a poisoned room says nothing more, not even what is durable.
  state.assertUsable()
  publish(state, draft)
  return outcome
}

async function writeFiles(
  state: StoreState,
  long: readonly (readonly [string, string])[],
  temp: string | undefined,
  staged: FileText | undefined,
): Promise<void> {
  try {
    const writes = [state.bodies.file(long)]
    if (temp && staged) writes.push(state.markdown.stage(temp, staged))
    await allWritten(writes)
    state.assertUsable()
  } catch (thrown) {
    rollback(state)
    throw writeFailure(state, thrown)
  }
}

type Outcome =
  | { readonly kind: 'replaced' }
  | { readonly kind: 'moved'; readonly seen: Seen }
  | { readonly kind: 'failed'; readonly error: unknown }

async function putInPlace(state: StoreState, temp: string, expected: string): Promise<Outcome> {
  // Hashed again: text that was written since the mutation began must not be overwritten.
  const seen = lookUntilStill(state)
  if (!hasHash(seen, expected)) {
    await removeQuietly(state.disk, temp)
    state.ledger.note({ materialized: true })
    return { kind: 'moved', seen }
  }
  try {
    await replaceFile(state, temp)
    return { kind: 'replaced' }
  } catch (error) {
    return { kind: 'failed', error }
  }
}

const LOOKS = 10

/** Hashing takes time in which the file may move again; what is left before the rename are microseconds. */
function lookUntilStill({ markdown }: StoreState): Seen {
  let seen = markdown.look()
  for (let looks = 1; looks < LOOKS && !markdown.isAsSeen(); looks += 1) seen = markdown.look()
  return seen
}

/** Whether the file is as the version before the newest left it, so that writing the newest overwrites no other text. */
function isOurs(state: StoreState, seen: Seen): boolean {
  return hasHash(seen, state.ledger.meta.previousHash)
}

function hasHash(seen: Seen, hash: string): boolean {
  return seen.kind === 'missing' || (seen.kind === 'text' && seen.hash === hash)
}

/** To be called where the file is the newest version, durably. */
async function noteOrigin({ origin, ledger }: StoreState): Promise<void> {
  const { version, hash } = ledger.meta
  await origin?.note({ version, hash })
}

async function replaceFile(state: StoreState, temp: string): Promise<void> {
  try {
    state.fence()
    await state.markdown.replace(temp)
    state.ledger.note({ materialized: true })
    await noteOrigin(state)
  } catch (thrown) {
    await removeQuietly(state.disk, temp)
    if (isSatchelError(thrown) || isFlushFailure(thrown)) throw state.poison(thrown)
    throw notMaterialized(state.ledger.meta.version, thrown)
  }
}

async function discardQuietly(state: StoreState, sha256: string): Promise<void> {
  try {
    await state.bodies.discard(sha256)
  } catch (thrown) {
    state.log.warn('The text of a refused change could not be removed yet', { error: String(thrown) })
  }
}

/** Inside the queue: an outside text becomes a version, a stored version that is not in the file yet reaches it. */
export async function lookAtFile(state: StoreState): Promise<void> {
  const { ledger, markdown } = state
  const before = markdown.substrate()
  const seen = await pastTruncation(state, markdown.look())
  if (markdown.substrate() !== before) state.hooks.substrate?.(markdown.substrate())
  if (seen.kind === 'text' && seen.hash === ledger.meta.hash) {
    // The process that renamed it may have ended before it flushed the name.
    if (!ledger.meta.materialized) await settleFile(state)
    await noteOrigin(state)
    return ledger.note({ materialized: true })
  }
  if (!ledger.meta.materialized && isOurs(state, seen)) return materialize(state)
  await takeExternal(state, seen)
}

/**
 * Waits where the file just became empty and the document was not: `generator > plan.md` truncates it before it writes.
 * The queue waits with it, so that nothing is decided by a text that is not there yet.
 */
async function pastTruncation({ ledger, markdown }: StoreState, seen: Seen): Promise<Seen> {
  const isEmptied = seen.kind === 'text' && seen.bytes === 0 && ledger.meta.bytes > 0
  return isEmptied ? markdown.lookPastTruncation() : seen
}

const COPY_LOOKS = 10

/**
 * The first look of an owner whose file may be a copy that another machine had no part in: a missing file, or one that is an
 * older version, becomes the newest version; any other difference is an edit of the version that the copy last was.
 */
export async function lookAtCopy(state: StoreState): Promise<void> {
  for (let looks = 0; looks < COPY_LOOKS; looks += 1) {
    const seen = await pastTruncation(state, state.markdown.look())
    if (isOutdated(state, seen)) await refresh(state)
    else if (isStaleEdit(state, seen)) await takeStaleEdit(state, seen)
    else break
  }
  await lookAtFile(state)
}

/** Puts the newest version into a file that is as the last look found it. */
async function refresh(state: StoreState): Promise<void> {
  const temp = state.tempPath()
  try {
    await state.markdown.stage(temp, newestFileText(state))
    if (state.markdown.isAsSeen()) await replaceFile(state, temp)
  } catch (thrown) {
    throw writeFailure(state, thrown)
  } finally {
    await removeQuietly(state.disk, temp)
  }
}

function isOutdated(state: StoreState, seen: Seen): boolean {
  if (seen.kind !== 'text') return seen.kind === 'missing'
  return (
    seen.hash !== state.ledger.meta.hash &&
    (state.hooks.isVersion?.(openRows(state).rows, seen.hash) ?? false)
  )
}

type SeenText = Extract<Seen, { kind: 'text' }>

/** Whether the file is an edit of another version than the newest, or of one that is not known. */
function isStaleEdit({ ledger, hooks, origin }: StoreState, seen: Seen): seen is SeenText {
  if (seen.kind !== 'text' || seen.hash === ledger.meta.hash || !hooks.staleEdit) return false
  return origin?.read()?.hash !== ledger.meta.hash
}

/** Lets the rules keep the edit, then the file becomes the newest version. A file that moved meanwhile is left as it is. */
async function takeStaleEdit(state: StoreState, seen: SeenText): Promise<void> {
  const { ledger, hooks, origin, log } = state
  const base = origin?.read()
  // Whether the last owner could write its own file says nothing of this one.
  ledger.note({ materialized: true })
  const before = ledger.meta.version
  const draft = await adopted(state, (tx) => hooks.staleEdit?.(tx, seen, base))
  const newest = draft.document ? fileText(draft, draft.document) : newestFileText(state)
  const outcome = await storeWithFiles(state, draft, newest, seen.hash)
  if (outcome?.kind === 'failed') throw outcome.error
  const made = draft.document ? { merged_as: draft.document.version } : {}
  log.warn('The file was edited while another machine had its room', { of: base?.version, before, ...made })
}

async function takeExternal(state: StoreState, seen: Seen): Promise<void> {
  if (seen.kind !== 'text' || seen.hash === state.ledger.meta.hash) return
  await adopt(state, seen, (tx, document) => state.hooks.external(tx, document))
}

/** Beside a commit that is stored and published already: if it fails, the next look tries again. */
async function takeExternalQuietly(state: StoreState, seen: Seen): Promise<void> {
  const before = state.markdown.substrate()
  try {
    await takeExternal(state, await pastTruncation(state, seen))
    if (state.markdown.substrate() !== before) state.hooks.substrate?.(state.markdown.substrate())
  } catch (thrown) {
    state.log.warn('An edit of the file could not be kept yet', { error: String(thrown) })
  }
}

/** The first open ever: the file as it is becomes version 1. */
export async function bootstrap(state: StoreState, seen: Seen): Promise<void> {
  await adopt(state, documentIn(state.markdown, seen), (tx, document) => state.hooks.bootstrap(tx, document))
}

/** What a look found, which a room can be opened on. Errors: `document_not_found`, `conflict`/`substrate_invalid`. */
export function documentIn({ path }: Pick<MarkdownFile, 'path'>, seen: Seen): SeenText {
  if (seen.kind === 'missing') throw refusals.document_not_found({ file: basename(path) })
  if (seen.kind === 'invalid') throw refusals.not_a_document()
  return seen
}

async function adopt(
  state: StoreState,
  seen: SeenText,
  hook: (tx: Tx, document: NewVersion) => void,
): Promise<void> {
  const { text, hash, bytes } = seen
  const document: NewVersion = { version: state.ledger.meta.version + 1, hash, bytes, text }
  try {
    // Otherwise a power cut brings the text before it back, which then looks like the newest edit.
    await settleFile(state)
    const draft = await adopted(state, (tx) => hook(tx, document), document)
    await commitWithFiles(state, draft, undefined)
    await noteOrigin(state)
  } catch (thrown) {
    // It was seen and is in no version: every later call has to find it again.
    state.markdown.forget()
    throw thrown
  }
}

/** What the rules do with an outside text; again when they were not ready for it, while everything else waits. */
async function adopted(state: StoreState, hook: (tx: Tx) => void, document?: NewVersion): Promise<Draft> {
  for (;;) {
    try {
      return transact(state, hook, document).draft
    } catch (thrown) {
      const ready = state.hooks.readiness?.(thrown)
      if (!ready) throw thrown
      await ready
    }
  }
}

async function settleFile(state: StoreState): Promise<void> {
  try {
    await state.markdown.settle()
  } catch (thrown) {
    throw writeFailure(state, thrown)
  }
}

/** Writes a version that was answered as stored but could not reach the file; quiet when it still cannot. */
async function materialize(state: StoreState): Promise<void> {
  const temp = state.tempPath()
  try {
    await state.markdown.stage(temp, newestFileText(state))
    await replaceFile(state, temp)
  } catch (thrown) {
    await removeQuietly(state.disk, temp)
    if (isFlushFailure(thrown)) throw state.poison(thrown)
    // Poisoned by the replacement: say so. Otherwise document mutations stay refused until a later look succeeds.
    state.assertUsable()
  }
}
