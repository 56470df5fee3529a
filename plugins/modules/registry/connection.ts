/** What is open while the versions of one registry module are read. */
import { readFile } from 'node:fs/promises'
import { rootCertificates } from 'node:tls'
import type { Trust } from '../git/admission.ts'
import type { RepositoryOptions } from '../git/repository.ts'
import { type GitPackages, openGitPackages } from './git-packages.ts'
import { loadHostTokens } from './host-tokens.ts'
import { createRegistryClient, type RegistryClient } from './http-client.ts'
import { createRegistryProtocol, type RegistryProtocol } from './protocol.ts'
import { openReach } from './reach.ts'
import { type RegistryRemote, remoteEndpoint } from './remote.ts'

export interface RegistryOptions extends Omit<RepositoryOptions, 'admission'> {
  readonly remote: RegistryRemote
  readonly trust: Trust
  /** `host:port` of every repository that the operator's configuration names. */
  readonly known: ReadonlySet<string>
  /** How long a server may say nothing, and take for one answer; absent: 30 seconds. */
  readonly answerMs?: number | undefined
}

/** Its owner calls `close`. */
export interface Connection {
  readonly protocol: RegistryProtocol
  readonly client: RegistryClient
  readonly packages: GitPackages
  close(): Promise<void>
}

const ANSWER_MS = 30_000

/** Reads the tokens of this machine; the first request is sent by the first call. */
export async function openConnection(options: RegistryOptions): Promise<Connection> {
  const { remote, trust, known, env, answerMs = ANSWER_MS } = options
  const { host } = remote
  const reach = await openReach(remote, trust, known)
  const tokenOf = mayUseTokens(options) ? await loadHostTokens(env) : () => undefined
  const authorities = await authoritiesIn(env['SSL_CERT_FILE'])
  const client = createRegistryClient({ ...options, host, reach, tokenOf, authorities, silenceMs: answerMs })
  const packages = openGitPackages({ ...options, host, named: reach.named })
  return {
    client,
    packages,
    protocol: createRegistryProtocol({ ...options, client, totalMs: answerMs }),
    async close() {
      client.close()
      await packages.close()
    },
  }
}

/** The tokens are the operator's: a caller reaches with them only registries that the configuration names. */
function mayUseTokens({ trust, remote }: RegistryOptions): boolean {
  return trust.kind === 'operator' || trust.known.has(remoteEndpoint(remote) ?? '')
}

/** The certificates in the file that Terraform reads too, beside those of Node; undefined where there is none. */
async function authoritiesIn(file: string | undefined): Promise<readonly string[] | undefined> {
  if (file === undefined || file === '') return undefined
  const text = await readFile(file, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : [...rootCertificates, text]
}
