/** What the server refused, with the words it gave. */
export class Refused extends Error {
  constructor(status, problem) {
    super(problem.detail ?? `The server answered ${status}.`)
    this.status = status
    this.reason = problem.reason
  }
}

async function ask(method, path, body) {
  const answer = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: { 'x-satchel-request': '1', 'content-type': 'application/json' },
    ...(method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
  })
  const found = await answer.json().catch(() => ({}))
  if (!answer.ok) throw new Refused(answer.status, found)
  return found
}

export const get = (path) => ask('GET', path)
export const post = (path, body) => ask('POST', path, body)
export const remove = (path) => ask('DELETE', path)

/** The one-time key of the printed link, taken out of the address immediately. */
export async function claimFromAddress() {
  const key = /^#k=([\w-]+)$/.exec(location.hash)?.[1]
  if (key === undefined) return
  history.replaceState(null, '', '/')
  await post('/owner/claim', { key })
}
