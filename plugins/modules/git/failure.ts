import { isSatchelError, type SatchelError, showHidden } from '../../../server/plugin.ts'
import { type Reason, refusal } from '../reasons.ts'

const MAX_QUOTE_CHARS = 200

interface Row {
  readonly reason: Reason
  readonly when: RegExp
  readonly message: string
}

/** What git's own words mean, the first match counts. Read with LC_ALL=C. */
const ROWS: readonly Row[] = [
  {
    reason: 'git_missing',
    when: /unknown option: (--end-of-options|--depth)/i,
    message: 'No usable git was found. Install git 2.31 or newer and put it on the PATH.',
  },
  {
    reason: 'git_ownership',
    when: /dubious ownership/i,
    message:
      "The local repository belongs to another user. Its owner can run satchel, or add it to git's safe.directory.",
  },
  {
    reason: 'repository_damaged',
    when: /repository corruption|unable to read [0-9a-f]{40}|missing (blob|tree) object|bad object/i,
    message: 'The remote lacks objects of its own history. It may be a partial or damaged copy.',
  },
  {
    reason: 'storage_failed',
    when: /no space left|read-only file system|disk quota exceeded|unable to create (temporary )?(file|directory)|cannot mkdir|ENOSPC|EROFS|EACCES|EDQUOT|ENOENT/i,
    message: 'The clone could not be written. Check the free space and the permissions of clone_dir.',
  },
  {
    reason: 'auth_failed',
    when: /host key verification failed/i,
    message:
      'The key of the ssh host is not known on this machine, or another than before. Compare it with what the owner of the host says, put it into known_hosts, and run again.',
  },
  {
    reason: 'auth_failed',
    when: /authentication failed|could not read (username|password)|terminal prompts disabled|permission denied|returned error: 40[13]|invalid username or|access denied|not authorized/i,
    message:
      'The remote refused the credentials of this machine. Check the SSH key, the credential helper or netrc.',
  },
  {
    reason: 'repository_not_found',
    when: /repository .*not found|does not appear to be a git repository|returned error: 404|no such file or directory|project you were looking for could not be found|not a git repository/i,
    message: 'The remote has no such repository, or this machine may not see it. Check the URL.',
  },
  {
    reason: 'timeout',
    when: /operation too slow|timed? ?out|ETIMEDOUT/i,
    message: 'The remote did not answer in time. Try again later.',
  },
  {
    reason: 'git_failed',
    when: /returned error: 30\d/i,
    message: 'The remote redirects elsewhere, and that is not followed here. Use the URL it leads to.',
  },
  {
    reason: 'network',
    when: /certificate/i,
    message:
      "The remote's certificate is not trusted on this machine. Check the URL, or name its authority in git's http.sslCAInfo.",
  },
  {
    reason: 'network',
    when: /could not resolve|connection (refused|reset|closed)|failed to connect|couldn't connect|unreachable|no route to host|early eof|unexpected disconnect|hung up|returned error: 5\d\d|gnutls|ssl|tls|proxy|empty reply|rpc failed/i,
    message: 'The remote could not be reached. Check the network and the URL.',
  },
]

export interface FailureContext {
  /** Texts that must not be shown: secrets, and paths of our own. */
  readonly hidden: readonly string[]
  readonly signal?: AbortSignal
}

/** The error a failed git command means: classified, one line, nothing secret in it (modules design 2.6). */
export function gitFailure(thrown: unknown, context: FailureContext): SatchelError {
  if (isSatchelError(thrown)) return thrown
  if (context.signal?.aborted === true) return abortError(context.signal)
  const said = thrown instanceof Error ? thrown.message : String(thrown)
  const row = ROWS.find(({ when }) => when.test(said))
  const quoted = quote(said, context.hidden)
  if (row) return refusal(row.reason, row.message, { details: { git: quoted } })
  return refusal('git_failed', `git failed: ${quoted}`)
}

/** The error of an aborted run: `timeout` where the limit of a repository ended it, else `cancelled`. */
export function abortError(signal: AbortSignal): SatchelError {
  if (signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError') {
    return refusal('timeout', 'The repository took longer than the time allowed for one repository.')
  }
  return isSatchelError(signal.reason) ? signal.reason : refusal('cancelled', 'The run was cancelled.')
}

/** The ref that a fetch did not find, by git's words. */
export function missingRef(thrown: unknown): string | undefined {
  const said = thrown instanceof Error ? thrown.message : ''
  return /couldn't find remote ref (\S+)/.exec(said)?.[1]
}

/** Whether a server refused a shallow fetch (dumb HTTP). */
export function refusesShallow(thrown: unknown): boolean {
  const said = thrown instanceof Error ? thrown.message : ''
  return /dumb http transport does not support shallow|does not support shallow/i.test(said)
}

function quote(said: string, hidden: readonly string[]): string {
  const lines = said.split(/[\r\n]+/).map((line) => line.trim())
  const line =
    lines.find((text) => /^(fatal|error|remote):/i.test(text)) ?? lines.find((text) => text !== '') ?? ''
  return redact(line, hidden).slice(0, MAX_QUOTE_CHARS)
}

/** One line without secrets: the hidden texts, userinfo of URLs, tokens of headers; control characters are shown escaped. */
export function redact(text: string, hidden: readonly string[]): string {
  let clean = text
  for (const secret of hidden) if (secret !== '') clean = clean.replaceAll(secret, '***')
  return showHidden(
    clean
      .replace(/([a-z][a-z0-9+.-]*:\/\/)[^/\s@]+@/gi, '$1***@')
      .replace(/(authorization:?\s*(?:basic|bearer)?\s*)\S+/gi, '$1***'),
  )
}
