import { get, isAnswer, newKey, post, Refused } from './api.js'
import { draftsOf, store, update } from './store.js'

/** Above this a draft is kept a moment after the last key, not at each: the browser writes its storage in this thread. */
const LARGE_CHARS = 50_000
const LARGE_MS = 300

const openKey = () => `satchel:open:${store.room.status.workspace_id}`
const lf = (text) => text.replaceAll('\r\n', '\n')

/** Takes the draft for this tab: two tabs that write into one draft would lose the text of one. */
function hold(id) {
  if (!navigator.locks) return Promise.resolve(() => undefined)
  return new Promise((resolve) => {
    const work = (lock) => {
      if (!lock) return resolve(undefined)
      return new Promise((release) => resolve(release))
    }
    navigator.locks
      .request(`satchel:draft:${id}`, { ifAvailable: true }, work)
      .catch(() => resolve(undefined))
  })
}

/** The newest text of a target with LF; `undefined` when the document has no such section any more. */
async function read(target) {
  try {
    const found = await get(`/workspace/read?section=${encodeURIComponent(target)}`)
    return { text: lf(found.content), version: found.version }
  } catch (thrown) {
    if (thrown instanceof Refused && thrown.reason === 'invalid_region') return undefined
    throw thrown
  }
}

function newDraft(target, { text, version }) {
  const id = `${Date.now().toString(36)}-${crypto.getRandomValues(new Uint32Array(1))[0].toString(36)}`
  return { id, target, base: text, base_version: version, text, why: '', at: Date.now() }
}

async function heldDraft(target) {
  const open = new Set(store.editors.map(({ draft }) => draft.id))
  for (const draft of draftsOf(store.room).list()) {
    if (draft.target !== target || open.has(draft.id)) continue
    const release = await hold(draft.id)
    if (release) return { draft, release }
  }
  return undefined
}

function show(editors) {
  const ids = editors.map(({ draft }) => draft.id)
  sessionStorage.setItem(openKey(), JSON.stringify(ids))
  update({ editors })
}

/** Opens the editor of a target with its draft, or with its newest text. `seed`: a text to begin with. */
export async function openEditor(target, seed) {
  const open = await preparedEditor(target, seed)
  return open()
}

/** The last step of opening an editor, which waits for nothing before the editor is shown. */
async function preparedEditor(target, seed) {
  const openHere = () => (seed ? undefined : store.editors.find(({ draft }) => draft.target === target))
  const open = openHere()
  if (open) return () => focusEditor(open)
  const kept = seed ? undefined : await heldDraft(target)
  if (kept) return () => add(kept.draft, kept.release)
  const newest = await read(target)
  if (!newest && !seed) throw new Refused(404, { detail: 'The document has no such section any more.' })
  const draft = { ...newDraft(target, newest ?? { text: '', version: store.room.status.version }), ...seed }
  const release = await hold(draft.id)
  // Of a double click the first has opened it meanwhile.
  const openNow = openHere()
  if (!openNow) return () => add(draft, release)
  release?.()
  return () => focusEditor(openNow)
}

/** Opens this draft. Errors: `Refused` where it is not there any more or open in another tab. */
export async function openDraft(id) {
  const openHere = () => store.editors.find(({ draft }) => draft.id === id)
  const release = openHere() ? undefined : await hold(id)
  const open = openHere()
  if (open) return focusEditor(open)
  if (!release) throw openElsewhere()
  const draft = draftsOf(store.room).find(id)
  if (draft) return add(draft, release)
  release()
  throw new Refused(404, { detail: 'This draft was sent or discarded in another tab.' })
}

/** Removes a draft that is not open here. Errors: `Refused` where it is open in another tab, which would lose its text. */
export async function discardClosed(id) {
  const release = await hold(id)
  if (!release) throw openElsewhere()
  const draft = discard(id)
  release()
  return draft
}

function openElsewhere() {
  const detail = 'This draft is open in another tab: go on there, or close it there first.'
  return new Refused(409, { detail })
}

async function add(draft, release) {
  const editor = { draft, release, isKept: true, isWanted: true }
  show([...store.editors, editor])
  if (draft.text !== draft.base) keep(editor)
  await compare(draft.id)
}

/** Opens again what was open when this tab was reloaded. */
export async function reopenEditors() {
  const drafts = draftsOf(store.room)
  let ids = []
  try {
    ids = JSON.parse(sessionStorage.getItem(openKey()) ?? '[]')
  } catch {
    // another program wrote there
  }
  for (const id of ids) {
    const draft = drafts.find(id)
    const release = draft && (await hold(id))
    if (release) show([...store.editors, { draft, release, isKept: true }])
  }
  for (const { draft } of store.editors) await compare(draft.id)
}

function focusEditor(editor) {
  change(editor.draft.id, { isWanted: true })
}

/** Changes an editor, found by its draft: the one in hand may be older than what was typed meanwhile. */
export function change(id, patch) {
  const editors = store.editors.map((one) => (one.draft.id === id ? { ...one, ...patch } : one))
  update({ editors })
  return editors.find(({ draft }) => draft.id === id)
}

let due

/** Keeps what was typed. From then on a merge can no longer be undone: that would take the typed text away. */
export function type(id, patch) {
  const { draft, before } = store.editors.find((one) => one.draft.id === id)
  const editor = change(id, {
    draft: { ...draft, ...patch },
    before: patch.text === undefined ? before : undefined,
  })
  if (editor.draft.text.length < LARGE_CHARS) return keep(editor)
  clearTimeout(due)
  due = setTimeout(keepAll, LARGE_MS)
}

/** False where the browser cannot keep it. */
export function keep({ draft, isKept }) {
  const kept = draftsOf(store.room).keep(draft)
  if (kept !== isKept) change(draft.id, { isKept: kept })
  return kept
}

/** Also before the tab is hidden or closed. */
export function keepAll() {
  clearTimeout(due)
  for (const editor of store.editors) keep(editor)
}

/** Closes the editor; its draft stays. Where the browser cannot keep that, the editor stays open. */
export function close(id) {
  const editor = store.editors.find(({ draft }) => draft.id === id)
  if (editor && keep(editor)) hide(editor)
}

function hide({ draft: { id }, release }) {
  release?.()
  show(store.editors.filter(({ draft }) => draft.id !== id))
}

/** Removes the draft, and returns it so that this can be undone. */
export function discard(id) {
  const editor = store.editors.find(({ draft }) => draft.id === id)
  const isKept = !editor || keep(editor)
  if (editor) hide(editor)
  const draft = isKept ? draftsOf(store.room).find(id) : editor.draft
  draftsOf(store.room).remove(id)
  update({})
  return draft
}

/** Opens a discarded draft again, also where the browser cannot keep it. */
export async function restore(draft) {
  return add(draft, await hold(draft.id))
}

/** The draft stays as it is, and another target is edited in its place. Errors: those of `openEditor`. */
export async function switchTarget(id, target) {
  const open = await preparedEditor(target)
  close(id)
  await open()
}

/** Compares every open draft with the newest version. */
export async function compareAll() {
  for (const { draft } of store.editors) await compare(draft.id)
}

/** Compares a draft with the newest version; one that was not typed into follows it. */
export async function compare(id) {
  const found = store.editors.find(({ draft }) => draft.id === id)
  if (!found) return
  try {
    const newest = await read(found.draft.target)
    const editor = store.editors.find(({ draft }) => draft.id === id)
    if (!editor) return
    const { draft } = editor
    // What was read belongs to the target of before.
    if (draft.target !== found.draft.target) return
    const patch = { isMissing: newest === undefined, newest: undefined }
    if (newest && newest.text !== draft.base) {
      // An untouched text simply becomes the newest one.
      const isUntouched = draft.text === draft.base
      if (isUntouched) patch.draft = { ...draft, text: newest.text, ...baseOf(newest) }
      else patch.newest = newest
    } else if (newest) patch.draft = { ...draft, base_version: newest.version }
    if (!patch.newest) patch.merging = undefined
    change(id, patch)
  } catch {
    // The room cannot be reached, which the page shows already.
  }
}

export const baseOf = ({ text, version }) => ({ base: text, base_version: version })

/** The section is no more: the same text as an addition to the whole document. */
export async function retarget(id) {
  const newest = await read('workspace')
  const editor = store.editors.find((one) => one.draft.id === id)
  if (!editor) return
  const { draft } = editor
  const text = `${newest.text.replace(/\n*$/, '\n\n')}${draft.text}`
  const moved = { ...draft, target: 'workspace', text, ...baseOf(newest) }
  keep(
    change(id, { draft: moved, isMissing: false, newest: undefined, merging: undefined, before: undefined }),
  )
}

/**
 * Proposes the draft; the answer is the proposal. A draft that was refused stays, with the reason, and so does one
 * that was typed on meanwhile. One that got no answer is sent again as it was, also after a reload, and proposed once.
 */
export async function send(id) {
  const { draft } = store.editors.find((one) => one.draft.id === id)
  const { text, why } = draft
  const body = bodyToSend(draft)
  change(id, { failed: undefined, isBusy: true })
  note(id, body)
  try {
    const proposal = await post('/workspace/propose', body)
    note(id, undefined)
    const editor = store.editors.find((one) => one.draft.id === id)
    const isTypedOn = editor && (editor.draft.text !== text || editor.draft.why !== why)
    if (isTypedOn) change(id, { isBusy: false })
    else discard(id)
    return proposal
  } catch (thrown) {
    if (isAnswer(thrown)) note(id, undefined)
    change(id, { isBusy: false, failed: failureOf(thrown) })
    await compare(id)
    return undefined
  }
}

/** Remembers with the draft what was sent of it and is not answered yet. */
function note(id, sent) {
  const editor = store.editors.find((one) => one.draft.id === id)
  if (editor) keep(change(id, { draft: { ...editor.draft, sent } }))
}

/** A text area knows only LF: the room gives the lines the ends that they had. */
function bodyToSend({ target, base_version, why, text: content, sent }) {
  const isAgain = sent?.target === target && sent.summary === why && sent.content === content
  return isAgain ? sent : { target, base_version, summary: why, content, idempotency_key: newKey() }
}

function failureOf(thrown) {
  if (!(thrown instanceof Refused)) return 'The room could not be reached. The text is kept here: try again.'
  if (thrown.status === 401)
    return 'The session has ended. The text is kept in this browser: open a new link.'
  return thrown.message
}
