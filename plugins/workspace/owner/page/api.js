const INVITATION = 'satchel:invitation'
const SESSION = 'satchel:session'
/** The last token that a tab of this browser renewed, and the one that it got. */
const RENEWED = 'satchel:renewed'

/** The page of a guest is at the ingress, which takes no cookies: there this browser keeps the token of the session. */
export const isGuestPage = location.pathname === '/workspace/page'

/** The guest's token, as this tab found it or got it: the browser may have another one by now, for another room. */
let token = isGuestPage ? localStorage.getItem(SESSION) : null
/** A token that is not renewed any more. */
let ended
let expected

/** From now on every request says that this tab shows the room with this id: a server of another room refuses it. */
export function expectRoom(workspaceId) {
  expected = workspaceId
}

/** For a person, where the server's words name what a program calls. */
const PLAIN = { stale_version: 'The document has changed since. Look at it, then try again.' }

/** What the server refused, with the words it gave. */
export class Refused extends Error {
  constructor(status, problem) {
    super(PLAIN[problem.reason] ?? problem.detail ?? `The server answered ${status}.`)
    this.status = status
    this.reason = problem.reason
    this.details = problem.details ?? problem
  }
}

export function headers() {
  return {
    'x-satchel-request': '1',
    'content-type': 'application/json',
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(expected !== undefined && { 'x-satchel-expects': expected }),
  }
}

/** Asks with this tab's session. One that ran out is renewed, and the request is made again. */
export async function fetchAsSession(path, request) {
  for (;;) {
    const used = token
    const answer = await fetch(path, { ...request, credentials: 'same-origin', headers: headers() })
    // Another tab may have renewed it long ago, and that one has run out too.
    if (answer.status !== 401 || !(await renewSession(used))) return answer
  }
}

let renewing

/** A guest goes on as before when the session of a token ran out: once for each, for all tabs. False where it has ended. */
function renewSession(spent) {
  if (token !== spent) return true
  if (spent === null || spent === ended) return false
  const renew = async () => takeRenewed(spent) || renewToken(spent)
  // Locks are missing where a page has no TLS.
  renewing ??= (navigator.locks?.request('satchel:renew', renew) ?? renew()).finally(() => {
    renewing = undefined
  })
  return renewing
}

/** True where another tab renewed this token. */
function takeRenewed(spent) {
  const { from, to } = JSON.parse(localStorage.getItem(RENEWED) ?? '{}')
  if (from !== spent) return false
  token = to
  return true
}

async function renewToken(spent) {
  const { authorization: _, ...open } = headers()
  const body = JSON.stringify({ token: spent })
  const answer = await fetch('/session/renew', { method: 'POST', headers: open, body })
  // The room is being taken over, or is asked too often: it is not known whether the session has ended.
  if (answer.status === 429 || answer.status >= 500) throw new Error(`the server answered ${answer.status}`)
  if (answer.ok) {
    token = (await answer.json()).token
    keepRenewed(spent)
    return true
  }
  if (takeRenewed(spent)) return true
  ended = spent
  return false
}

function keepRenewed(spent) {
  try {
    localStorage.setItem(RENEWED, JSON.stringify({ from: spent, to: token }))
    if (localStorage.getItem(SESSION) === spent) localStorage.setItem(SESSION, token)
  } catch {
    // Full: this tab goes on with it.
  }
}

async function ask(method, path, body) {
  const answer = await fetchAsSession(path, {
    method,
    ...(method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
  })
  if (!answer.ok) throw new Refused(answer.status, await answer.json().catch(() => ({})))
  // Rejects where the connection broke within the answer: what it says is not known then.
  return answer.json()
}

/** The document as nodes. */
export const getDocument = () => get(isGuestPage ? '/workspace/markup' : '/owner/document')
export const get = (path) => ask('GET', path)

/** Keys of changes that no answer came for, by what was sent: sent again, such a change happens once. */
const unanswered = new Map()

/** Makes a change. `body` may bring its own `idempotency_key`, for what is sent again after a reload. */
export async function post(path, body) {
  if (!path.startsWith('/workspace/')) return ask('POST', path, body)
  const change = `${path} ${JSON.stringify(body)}`
  const idempotency_key = unanswered.get(change) ?? newKey()
  unanswered.set(change, idempotency_key)
  try {
    const answer = await ask('POST', path, { idempotency_key, ...body })
    unanswered.delete(change)
    return answer
  } catch (thrown) {
    if (isAnswer(thrown)) unanswered.delete(change)
    throw thrown
  }
}

/** False where the change may have happened although its answer did not come. */
export function isAnswer(thrown) {
  return thrown instanceof Refused && thrown.status < 500
}

/** A key for one change; `crypto.randomUUID` is missing where a page has no TLS. */
export function newKey() {
  return `page-${[...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-')}`
}

export const remove = (path) => ask('DELETE', path)

/** The secret of an invitation in the address; kept in this tab until it is used. */
export function invitationFromAddress() {
  const secret = /^#i=([\w-]+)$/.exec(location.hash)?.[1]
  if (secret !== undefined) {
    sessionStorage.setItem(INVITATION, secret)
    history.replaceState(null, '', location.pathname)
  }
  return sessionStorage.getItem(INVITATION) ?? undefined
}

/** Joins as a guest. */
export async function join(invite, name) {
  token = null // of an ended session, with which nothing would be answered
  const joined = await post('/session/join', { invite, name, kind: 'human' })
  token = joined.token
  localStorage.setItem(SESSION, token)
  forgetInvitation()
}

/** This browser no longer has the token of this tab's session. */
export function forgetSession() {
  if (localStorage.getItem(SESSION) === token) localStorage.removeItem(SESSION)
  localStorage.removeItem(RENEWED)
}

export function forgetInvitation() {
  sessionStorage.removeItem(INVITATION)
}

/** The link for a person, of an invitation's URI: the guest page, the secret in the fragment, which reaches no log. */
export function linkOf(uri) {
  const ticket = uri.slice('satchel://join/'.length).replaceAll('-', '+').replaceAll('_', '/')
  const { secret, endpoints = [] } = JSON.parse(atob(ticket))
  return `${endpoints[0] ?? location.origin}/workspace/page#i=${secret}`
}

/** The one-time key of the printed link, taken out of the address immediately. */
export async function claimFromAddress() {
  const key = /^#k=([\w-]+)$/.exec(location.hash)?.[1]
  if (key === undefined) return
  history.replaceState(null, '', location.pathname)
  await post('/owner/claim', { key })
}
