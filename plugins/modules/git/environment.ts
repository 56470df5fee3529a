import { cleanGitEnvironment } from '../../../server/plugin.ts'
import type { RemoteUrl } from './url.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Variables of the operator's environment that git may see: the credentials of the machine. */
const PASSED_ON =
  /^(?:GIT_SSH_COMMAND|GIT_SSH|GIT_SSH_VARIANT|GIT_ASKPASS|SSH_ASKPASS|GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|GIT_(?:PROXY_)?SSL_.*)$/

/** Sent with every command, before its name. */
export const CONSTANT_CONFIG: readonly string[] = [
  'core.symlinks=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'fetch.recurseSubmodules=false',
  'fetch.unpackLimit=1', // all comes in packs: their size is watched, and many of them are packed together
  'protocol.version=2',
  'http.lowSpeedLimit=1000',
  'http.lowSpeedTime=30',
]

const OWN_SSH = 'ssh -o BatchMode=yes -o ConnectTimeout=15 -o ServerAliveInterval=15 -o ServerAliveCountMax=4'

export interface EnvironmentWishes {
  /** Absolute path of the bare store. */
  readonly gitDir: string
  /** Folder above which git searches no repository. */
  readonly ceiling: string
  /** The transport in use; absent for commands without a remote. */
  readonly protocol?: RemoteUrl['scheme']
  /** `core.sshCommand` of the operator's own configuration. */
  readonly sshCommandConfigured?: boolean
  /** Further `-o` options of our ssh: an address to pin. */
  readonly sshOptions?: readonly string[]
  /** A further folder of objects, only read. */
  readonly alternateObjects?: string
  /** Secret configuration, by environment so that no process list shows it: `[key, value]`. */
  readonly secretConfig?: readonly (readonly [string, string])[]
}

/** The environment of one git command: the operator's without variables that change git, then ours. */
export function gitEnvironment(base: Environment, wishes: EnvironmentWishes): Record<string, string> {
  return cleanGitEnvironment(base, {
    ...Object.fromEntries(Object.entries(base).filter(([key]) => PASSED_ON.test(key))),
    GIT_DIR: wishes.gitDir,
    GIT_CEILING_DIRECTORIES: wishes.ceiling,
    // An empty list means "none"; unset would mean git's defaults.
    GIT_ALLOW_PROTOCOL: wishes.protocol ?? '',
    GIT_ALTERNATE_OBJECT_DIRECTORIES: wishes.alternateObjects,
    ...sshOf(base, wishes),
    ...secretsIn(wishes.secretConfig ?? []),
  })
}

function sshOf(base: Environment, wishes: EnvironmentWishes): Environment {
  if (wishes.protocol !== 'ssh' || wishes.sshCommandConfigured === true) return {}
  if (base['GIT_SSH_COMMAND'] !== undefined || base['GIT_SSH'] !== undefined) return {}
  const options = (wishes.sshOptions ?? []).map((option) => `-o ${option}`)
  return { GIT_SSH_COMMAND: [OWN_SSH, ...options].join(' ') }
}

function secretsIn(secrets: readonly (readonly [string, string])[]): Environment {
  if (secrets.length === 0) return {}
  const pairs = secrets.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ])
  return { GIT_CONFIG_COUNT: String(secrets.length), ...Object.fromEntries(pairs) }
}

/**
 * The configuration that carries a URL's credentials, and keeps them on that host: a redirect is not followed.
 * A lone user name is one for the credential helpers; a lone token (20 characters or more) is sent as GitHub reads it.
 */
export function credentialConfig(remote: RemoteUrl): (readonly [string, string])[] {
  const credential = remote.credential?.()
  if (credential === undefined) return []
  const origin = new URL(remote.fetchUrl).origin
  if (credential.password === '' && credential.user.length < 20) {
    return [[`credential.${origin}.username`, credential.user]]
  }
  const basic = Buffer.from(`${credential.user}:${credential.password}`).toString('base64')
  return [
    [`http.${origin}/.extraHeader`, `Authorization: Basic ${basic}`],
    ['http.followRedirects', 'false'],
  ]
}

/** Every form in which a URL's secret could show up in git's output. */
export function secretsOf(remote: RemoteUrl): string[] {
  const credential = remote.credential?.()
  if (credential === undefined) return []
  const { user, password } = credential
  const basic = Buffer.from(`${user}:${password}`).toString('base64')
  const secret = password === '' ? user : password
  return [basic, secret, encodeURIComponent(secret)].filter((text) => text.length >= 4)
}
