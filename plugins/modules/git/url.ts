import { normalize, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { hasHidden } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'

/** A repository URL that may be given to git. Holds no secret but in `credential`, which no serialiser prints. */
export interface RemoteUrl {
  /** As typed, without password and token: stored, printed and hashed into ids. */
  readonly url: string
  /** What git is given: for a local repository its `file://` form. */
  readonly fetchUrl: string
  readonly scheme: 'https' | 'http' | 'ssh' | 'file'
  /** Lower case, absent for `file`. */
  readonly host?: string
  readonly port?: number
  /** Absolute, for `file`. */
  readonly localPath?: string
  /** Returns the `user:password` of the URL; a function, so that printing the object cannot leak it. */
  readonly credential?: () => { readonly user: string; readonly password: string }
}

const MAX_URL_CHARS = 2048 // modules design 2.2
const DEFAULT_PORTS = { https: 443, http: 80, ssh: 22 } as const
const USER = /^[A-Za-z0-9_][A-Za-z0-9._+-]*$/
const LOCAL = /^\.{0,2}\//
const HOST_NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/

/**
 * Parses a URL as a user typed it. Local paths are absolute or start with `./` or `../`, from `workingDirectory`.
 * Errors: `invalid`/`url_refused` for every form that is not listed in modules design 2.2; the message never
 * repeats what was typed, because it may contain a secret.
 */
export function parseRemoteUrl(typed: string, workingDirectory: string): RemoteUrl {
  if (typed === '') throw refused('it is empty')
  if (typed.length > MAX_URL_CHARS) throw refused(`it is longer than ${MAX_URL_CHARS} characters`)
  if (/\s/.test(typed) || hasHidden(typed)) throw refused(blankAdvice(typed))
  if (/%(?:[01][0-9a-f]|7f)/i.test(typed)) throw refused('it holds an encoded control character')
  if (typed.includes('\\')) throw refused('it holds a backslash, which programs read differently')
  if (typed.startsWith('-')) throw refused('it starts with a hyphen')
  if (/^[A-Za-z][A-Za-z0-9+.-]*::/.test(typed)) throw refused('remote helpers are never run')
  if (LOCAL.test(typed) || typed === '.' || typed === '..') return localRemote(typed, workingDirectory)
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(typed)) return schemeRemote(typed)
  return scpRemote(typed)
}

function blankAdvice(typed: string): string {
  const said = 'it holds white space or control characters'
  return LOCAL.test(typed) ? `${said}; write the path as a file:/// URL, with %20 for each blank` : said
}

/**
 * The last part of a URL without `.git`: the name of a repository unless the configuration sets one. The `.git` folder
 * of a work tree gets the name of the work tree.
 */
export function nameFromUrl(url: string): string {
  const last =
    url
      .replace(/[/\\]+$/, '')
      .replace(/[/\\]\.git$/i, '')
      .split(/[/\\:]/)
      .at(-1) ?? ''
  return last.replace(/\.git$/i, '')
}

/** `host:port` in a comparable form, undefined for a local repository. */
export function endpoint(remote: RemoteUrl): string | undefined {
  if (remote.host === undefined || remote.scheme === 'file') return undefined
  return `${remote.host}:${remote.port ?? DEFAULT_PORTS[remote.scheme]}`
}

function localRemote(typed: string, workingDirectory: string): RemoteUrl {
  const localPath = resolve(workingDirectory, typed)
  return { url: localPath, fetchUrl: pathToFileURL(localPath).href, scheme: 'file', localPath }
}

function schemeRemote(typed: string): RemoteUrl {
  const parts = /^([A-Za-z]+):\/\/(?:([^/]*)@)?(\[[^\]/]*\]|[^/:@[\]]*)(?::(\d{1,5}))?(\/.*)?$/.exec(typed)
  if (!parts) throw refused('it is not of the form scheme://host/path')
  const [, scheme = '', userinfo, host = '', port, path = ''] = parts
  if (/[?#]/.test(path))
    throw refused('it has a query or a fragment; give refs and paths as fields of their own')
  switch (scheme.toLowerCase()) {
    case 'file':
      return fileRemote(typed, userinfo, host, port, path)
    case 'https':
    case 'http':
    case 'ssh':
      return networkRemote(scheme.toLowerCase() as 'https' | 'http' | 'ssh', { userinfo, host, port, path })
    default:
      throw refused('only https, ssh and file URLs, user@host:path and local paths are read')
  }
}

function fileRemote(
  typed: string,
  userinfo: string | undefined,
  host: string,
  port: string | undefined,
  path: string,
): RemoteUrl {
  if (userinfo !== undefined || host !== '' || port !== undefined || path === '') {
    throw refused('a file URL has three slashes and an absolute path')
  }
  const localPath = normalize(decodedPath(typed))
  return { url: typed, fetchUrl: pathToFileURL(localPath).href, scheme: 'file', localPath }
}

function decodedPath(fileUrl: string): string {
  try {
    return fileURLToPath(fileUrl)
  } catch (cause) {
    throw refused('its path cannot be read', cause)
  }
}

interface NetworkParts {
  readonly userinfo: string | undefined
  readonly host: string
  readonly port: string | undefined
  readonly path: string
}

function networkRemote(scheme: 'https' | 'http' | 'ssh', parts: NetworkParts): RemoteUrl {
  const host = plainHost(parts.host)
  const port = plainPort(parts.port)
  if (parts.path.replaceAll('/', '') === '') throw refused('it has no path')
  const { user, password } = userParts(parts.userinfo)
  const authority = `${host}${port === undefined ? '' : `:${port}`}`
  const base = { scheme, host: host.replace(/^\[|\]$/g, ''), ...(port !== undefined && { port }) }
  if (scheme === 'ssh') {
    if (user !== '' && !USER.test(user)) throw refused('its user name is none')
    const url = `ssh://${user === '' ? '' : `${user}@`}${authority}${parts.path}`
    return { ...base, url, fetchUrl: url }
  }
  const url = `${scheme}://${authority}${parts.path}`
  if (user === '' && password === '') return { ...base, url, fetchUrl: url }
  if (scheme === 'http') throw refused('credentials are never sent over http; use https')
  return { ...base, url, fetchUrl: url, credential: () => ({ user, password }) }
}

function scpRemote(typed: string): RemoteUrl {
  const parts = /^([^@:/]+)@(\[[^\]/]*\]|[^@:/[\]]+):(.+)$/.exec(typed)
  if (!parts) throw refused(otherForm(typed))
  const [, user = '', host = '', path = ''] = parts
  if (!USER.test(user)) throw refused('its user name is none')
  if (path.startsWith('-')) throw refused('its path starts with a hyphen')
  const plain = plainHost(host)
  const url = `${user}@${plain}:${path}`
  return { url, fetchUrl: url, scheme: 'ssh', host: plain.replace(/^\[|\]$/g, '') }
}

function otherForm(typed: string): string {
  const isWithoutUser = /^[^@:/]+:[^:]+$/.test(typed)
  return isWithoutUser
    ? 'it names no user; write user@host:path or ssh://host/path, which takes the user of the ssh configuration'
    : 'it is neither a URL nor user@host:path; a local path starts with / or ./'
}

/**
 * Lower-case name, dotted IPv4 or bracketed IPv6. Forms that a resolver reads as an address other than they suggest
 * (`0x7f.1`, `2130706433`, `[::1%25lo]`) are refused.
 */
function plainHost(typed: string): string {
  const host = typed.toLowerCase()
  if (host === '') throw refused('it has no host')
  if (!host.startsWith('[') && !HOST_NAME.test(host)) throw refused('its host is not a host name')
  let read: string
  try {
    read = new URL(`http://${host}/`).hostname
  } catch (cause) {
    throw refused('its host is not a host name', cause)
  }
  if (!host.startsWith('[') && read !== host) throw refused('its host is not written plainly')
  return read
}

function plainPort(typed: string | undefined): number | undefined {
  if (typed === undefined) return undefined
  const port = Number(typed)
  if (port < 1 || port > 65_535) throw refused('its port is out of range')
  return port
}

function userParts(userinfo: string | undefined): { user: string; password: string } {
  const [user = '', ...rest] = (userinfo ?? '').split(':')
  try {
    return { user: decodeURIComponent(user), password: decodeURIComponent(rest.join(':')) }
  } catch (cause) {
    throw refused('its user part is not encoded rightly', cause)
  }
}

function refused(why: string, cause?: unknown) {
  return refusals.url_refused({ why }, { cause })
}
