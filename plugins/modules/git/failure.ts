import { isSatchelError, type SatchelError, showHidden } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'

const MAX_QUOTE_CHARS = 200

interface Row {
  readonly refusal:
    | 'git_too_old'
    | 'git_ownership'
    | 'repository_damaged'
    | 'commit_not_given'
    | 'clone_not_written'
    | 'host_key_unknown'
    | 'auth_failed'
    | 'repository_not_found'
    | 'timeout'
    | 'git_redirected'
    | 'certificate_untrusted'
    | 'network'
  readonly when: RegExp
}

/** Classes of git's messages; the first match counts. Read with LC_ALL=C. */
const ROWS: readonly Row[] = [
  {
    refusal: 'git_too_old',
    when: /unknown option: (--end-of-options|--depth)/i,
  },
  {
    refusal: 'git_ownership',
    when: /dubious ownership/i,
  },
  {
    refusal: 'commit_not_given',
    when: /not our ref|unadvertised object/i,
  },
  {
    refusal: 'repository_damaged',
    when: /repository corruption|unable to read [0-9a-f]{40}|missing (blob|tree) object|bad object/i,
  },
  {
    refusal: 'clone_not_written',
    when: /no space left|read-only file system|disk quota exceeded|unable to create (temporary )?(file|directory)|cannot mkdir|ENOSPC|EROFS|EACCES|EDQUOT|ENOENT/i,
  },
  {
    refusal: 'host_key_unknown',
    when: /host key verification failed/i,
  },
  {
    refusal: 'auth_failed',
    when: /authentication failed|could not read (username|password)|terminal prompts disabled|permission denied|returned error: 40[13]|invalid username or|access denied|not authorized/i,
  },
  {
    refusal: 'repository_not_found',
    when: /repository .*not found|does not appear to be a git repository|returned error: 404|no such file or directory|project you were looking for could not be found|not a git repository/i,
  },
  {
    refusal: 'timeout',
    when: /operation too slow|timed? ?out|ETIMEDOUT/i,
  },
  {
    refusal: 'git_redirected',
    when: /returned error: 30\d/i,
  },
  {
    refusal: 'certificate_untrusted',
    when: /certificate/i,
  },
  {
    refusal: 'network',
    when: /could not resolve|connection (refused|reset|closed)|failed to connect|couldn't connect|unreachable|no route to host|early eof|unexpected disconnect|hung up|returned error: 5\d\d|gnutls|ssl|tls|proxy|empty reply|rpc failed/i,
  },
]

export interface FailureContext {
  /** Texts that must not be shown: secrets, and paths of our own. */
  readonly hidden: readonly string[]
  readonly signal?: AbortSignal
}

/** Converts a failed git command to an error: classified, one line, without secrets (modules design 2.6). */
export function gitFailure(thrown: unknown, context: FailureContext): SatchelError {
  if (isSatchelError(thrown)) return thrown
  if (context.signal?.aborted === true) return abortError(context.signal)
  const said = thrown instanceof Error ? thrown.message : String(thrown)
  const row = ROWS.find(({ when }) => when.test(said))
  const quoted = quote(said, context.hidden)
  if (row) return refusals[row.refusal]({ details: { git: quoted } })
  return refusals.git_failed({ quoted })
}

/** Whether a remote did not answer, or not to this machine: nothing is known about its refs then. */
export function isUnanswered({ code, reason }: SatchelError): boolean {
  return code === 'unavailable' || code === 'forbidden' || reason === 'repository_not_found'
}

/** The error of an aborted run: `timeout` where the limit of a repository ended it, else `cancelled`. */
export function abortError(signal: AbortSignal): SatchelError {
  if (signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError') {
    return refusals.repository_timeout()
  }
  return isSatchelError(signal.reason) ? signal.reason : refusals.cancelled()
}

/** The ref that a fetch did not find, according to git's message. */
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
