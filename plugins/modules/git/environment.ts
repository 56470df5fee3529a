import { devNull } from 'node:os'
import type { RemoteUrl } from './url.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What of the operator's environment git may see although simple-git calls it unsafe: the credentials of the host. */
const PASSED_ON = {
  GIT_SSH_COMMAND: 'allowUnsafeSshCommand',
  GIT_SSH: 'allowUnsafeSshCommand',
  GIT_SSH_VARIANT: undefined,
  GIT_ASKPASS: 'allowUnsafeAskPass',
  SSH_ASKPASS: 'allowUnsafeAskPass',
  GIT_CONFIG_GLOBAL: 'allowUnsafeConfigPaths',
  GIT_CONFIG_SYSTEM: 'allowUnsafeConfigPaths',
  GIT_CONFIG_NOSYSTEM: undefined,
} as const

/** Keys that change what git does or make simple-git refuse every task (modules design 2.1). */
const DROPPED = /^(git_.*|editor|pager|visual|prefix|ssh_askpass)$/i
const SSL_KEYS = /^GIT_(PROXY_)?SSL_/

/** Sent with every command, before its name. */
export const CONSTANT_CONFIG: readonly string[] = [
  `core.hooksPath=${devNull}`,
  'core.fsmonitor=false',
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
  /** Folder above which git looks for no repository. */
  readonly ceiling: string
  /** The transport in use; absent for commands that talk to nobody. */
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

export interface GitEnvironment {
  readonly env: Record<string, string>
  readonly allowEnvironment: readonly string[]
  readonly unsafe: Readonly<Record<string, boolean>>
}

/** The environment of one git command: the operator's without what changes git, then ours. */
export function gitEnvironment(base: Environment, wishes: EnvironmentWishes): GitEnvironment {
  const env: Record<string, string> = {}
  const unsafe: Record<string, boolean> = { allowUnsafeHooksPath: true, allowUnsafeFsMonitor: true }
  for (const [key, value] of Object.entries(base)) {
    if (value !== undefined && (!DROPPED.test(key) || SSL_KEYS.test(key))) env[key] = value
  }
  for (const [key, flag] of Object.entries(PASSED_ON)) {
    const value = base[key]
    if (value === undefined) continue
    env[key] = value
    if (flag !== undefined) unsafe[flag] = true
  }
  Object.assign(env, {
    GIT_DIR: wishes.gitDir,
    GIT_CEILING_DIRECTORIES: wishes.ceiling,
    GIT_TERMINAL_PROMPT: '0',
    // An empty list means "none"; unset would mean git's defaults.
    GIT_ALLOW_PROTOCOL: wishes.protocol ?? '',
    LC_ALL: 'C',
  })
  if (wishes.alternateObjects !== undefined) env['GIT_ALTERNATE_OBJECT_DIRECTORIES'] = wishes.alternateObjects
  addSsh(env, unsafe, wishes)
  addSecrets(env, unsafe, wishes.secretConfig ?? [])
  return { env, allowEnvironment: Object.keys(env).filter((key) => DROPPED.test(key)), unsafe }
}

function addSsh(
  env: Record<string, string>,
  unsafe: Record<string, boolean>,
  wishes: EnvironmentWishes,
): void {
  if (wishes.protocol !== 'ssh' || wishes.sshCommandConfigured === true) return
  if (env['GIT_SSH_COMMAND'] !== undefined || env['GIT_SSH'] !== undefined) return
  env['GIT_SSH_COMMAND'] = [OWN_SSH, ...(wishes.sshOptions ?? []).map((option) => `-o ${option}`)].join(' ')
  unsafe['allowUnsafeSshCommand'] = true
}

function addSecrets(
  env: Record<string, string>,
  unsafe: Record<string, boolean>,
  secrets: readonly (readonly [string, string])[],
): void {
  if (secrets.length === 0) return
  env['GIT_CONFIG_COUNT'] = String(secrets.length)
  for (const [at, [key, value]] of secrets.entries()) {
    env[`GIT_CONFIG_KEY_${at}`] = key
    env[`GIT_CONFIG_VALUE_${at}`] = value
  }
  unsafe['allowUnsafeConfigEnvCount'] = true
}

/**
 * The configuration that carries a URL's credentials, and keeps them from going elsewhere: a redirect is not followed.
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
