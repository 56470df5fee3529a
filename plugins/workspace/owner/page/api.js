const INVITATION = 'satchel:invitation'

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
  }
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

export const get = (path) => ask('GET', path)
export const post = (path, body) => ask('POST', path, body)
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
  await post('/owner/claim', { invite, name })
  sessionStorage.removeItem(INVITATION)
}

export function forgetInvitation() {
  sessionStorage.removeItem(INVITATION)
}

/** The link for a person, of an invitation's URI: the secret is in the fragment, which reaches no log. */
export function linkOf(uri) {
  const ticket = uri.slice('satchel://join/'.length).replaceAll('-', '+').replaceAll('_', '/')
  return `${location.origin}/#i=${JSON.parse(atob(ticket)).secret}`
}

/** The one-time key of the printed link, taken out of the address immediately. */
export async function claimFromAddress() {
  const key = /^#k=([\w-]+)$/.exec(location.hash)?.[1]
  if (key === undefined) return
  history.replaceState(null, '', location.pathname)
  await post('/owner/claim', { key })
}
