const INVITATION = 'satchel:invitation'
const SESSION = 'satchel:session'

/** The page of a guest is at the ingress, which takes no cookies: there this browser keeps the token of the session. */
export const isGuestPage = location.pathname === '/workspace/page'

/** What the server refused, with the words it gave. */
export class Refused extends Error {
  constructor(status, problem) {
    super(problem.detail ?? `The server answered ${status}.`)
    this.status = status
    this.reason = problem.reason
    this.details = problem.details ?? problem
  }
}

export function headers() {
  return {
    'x-satchel-request': '1',
    'content-type': 'application/json',
    ...bearer(),
  }
}

function bearer() {
  const token = isGuestPage ? localStorage.getItem(SESSION) : null
  return token === null ? {} : { authorization: `Bearer ${token}` }
}

async function ask(method, path, body) {
  const answer = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: headers(),
    ...(method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
  })
  const found = await answer.json().catch(() => ({}))
  if (!answer.ok) throw new Refused(answer.status, found)
  return found
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
  localStorage.removeItem(SESSION) // of an ended session, with which nothing would be answered
  const { token } = await post('/session/join', { invite, name, kind: 'human' })
  localStorage.setItem(SESSION, token)
  forgetInvitation()
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
