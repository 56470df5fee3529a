/** The module registry protocol: what a registry has, and where the files of a version are. */
import { gunzipSync } from 'node:zlib'
import * as z from 'zod'
import { isRefName } from '../git/ref-name.ts'
import { withRetries } from '../git/repository.ts'
import { refusals } from '../reasons.ts'
import { tokenVariable } from './host-tokens.ts'
import {
  type HttpAnswer,
  type RegistryClient,
  requireTransport,
  speaksNoTls,
  statusFailure,
} from './http-client.ts'
import { isLoopback } from './reach.ts'
import type { RegistryRemote } from './remote.ts'

export interface RegistryProtocol {
  /** The versions that a registry lists, newest or oldest first as it likes, and what it lists that is not a version. */
  versions(): Promise<{ readonly versions: readonly string[]; readonly refused: readonly string[] }>
  /** The address of the files of a version, and the URL that a relative one starts at. */
  addressOf(version: string): Promise<{ readonly address: string; readonly base: URL }>
}

interface ProtocolOptions {
  readonly remote: RegistryRemote
  readonly client: RegistryClient
  readonly retryDelaysMs: readonly number[]
  readonly signal: AbortSignal
  /** For one answer. */
  readonly totalMs: number
}

const MIB = 1024 ** 2
const MAX_SERVICES_BYTES = MIB
/** The public registry lists the inputs of some versions too: a few MiB. */
const MAX_VERSIONS_BYTES = 32 * MIB
const VERSION = /^v?\d+(?:\.\d+){0,3}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/
const MAX_VERSION_CHARS = 100

const services = z.object({ 'modules.v1': z.string() })
const listing = z.object({
  modules: z.array(z.object({ versions: z.array(z.unknown()).nullish() })).nullish(),
})
const oneVersion = z.object({ version: z.string() })
const located = z.object({ location: z.string() })

/** Asks nothing before the first call; the services of the host are asked for once. */
export function createRegistryProtocol(options: ProtocolOptions): RegistryProtocol {
  const { remote, client, totalMs } = options
  const { host, namespace, name, provider } = remote
  let found: Promise<URL> | undefined
  const moduleUrl = async (rest: string): Promise<URL> => {
    found ??= discover(options)
    const path = [namespace, name, provider].map(encodeURIComponent).join('/')
    return new URL(`${path}/${rest}`, await found)
  }
  const ask = (url: URL, maxBytes: number): Promise<HttpAnswer> =>
    withRetries(async () => {
      const answer = await client.get(url, { accept: 'application/json', maxBytes, totalMs })
      if (answer.status === 404 || answer.status === 200 || answer.status === 204) return answer
      throw statusFailure(answer)
    }, options)
  return {
    async versions() {
      const answer = await ask(await moduleUrl('versions'), MAX_VERSIONS_BYTES)
      if (answer.status === 404)
        throw refusals.registry_module_missing({ host, variable: tokenVariable(host) })
      const rows = (jsonOf(answer, listing).modules ?? []).flatMap(({ versions }) => versions ?? [])
      return versionsOf(rows)
    },
    async addressOf(version) {
      const answer = await ask(await moduleUrl(`${encodeURIComponent(version)}/download`), MIB)
      if (answer.status === 404) throw refusals.registry_version_missing({ host })
      const header = answer.headers['x-terraform-get']
      const stated = typeof header === 'string' ? header : undefined
      return { address: stated ?? jsonOf(answer, located).location, base: answer.url }
    },
  }
}

/** The base URL of the module protocol, by `/.well-known/terraform.json`. */
async function discover({ remote: { host }, client, ...options }: ProtocolOptions): Promise<URL> {
  const answer = await withRetries(() => askServices(host, client, options.totalMs), options)
  if (answer.status === 404) throw refusals.registry_absent({ host })
  if (answer.status !== 200) throw statusFailure(answer)
  const read = services.safeParse(parsed(answer))
  const stated = read.data?.['modules.v1']
  if (stated === undefined || !URL.canParse(stated, answer.url.href)) throw refusals.registry_absent({ host })
  const base = new URL(stated, answer.url)
  requireTransport(base, host)
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  client.addTokenHost(base.host)
  return base
}

/** Only on this machine a registry may speak http: test servers seldom have a certificate. */
async function askServices(host: string, client: RegistryClient, totalMs: number): Promise<HttpAnswer> {
  const wishes = { accept: 'application/json', maxBytes: MAX_SERVICES_BYTES, totalMs }
  const url = new URL(`https://${host}/.well-known/terraform.json`)
  try {
    return await client.get(url, wishes)
  } catch (thrown) {
    if (!isLoopback(url) || !speaksNoTls(thrown)) throw thrown
    return await client.get(new URL(`http://${host}${url.pathname}`), wishes)
  }
}

function versionsOf(rows: readonly unknown[]): { versions: string[]; refused: string[] } {
  const versions = new Set<string>()
  const refused: string[] = []
  for (const row of rows) {
    const { data } = oneVersion.safeParse(row)
    const version = data?.version ?? ''
    const isVersion = version.length <= MAX_VERSION_CHARS && VERSION.test(version) && isRefName(version)
    if (isVersion) versions.add(version)
    else refused.push(JSON.stringify(data?.version ?? row).slice(0, MAX_VERSION_CHARS))
  }
  return { versions: [...versions], refused }
}

/** Errors: `unavailable`/`registry_answer` for anything but JSON of this shape. */
function jsonOf<T>(answer: HttpAnswer, shape: z.ZodType<T>): T {
  const read = shape.safeParse(parsed(answer))
  if (read.success) return read.data
  throw refusals.registry_answer({ host: answer.url.host, what: 'JSON of another shape' })
}

function parsed({ body, headers, url: { host } }: HttpAnswer): unknown {
  // Some servers compress what was asked for as it is.
  const isPacked = headers['content-encoding'] === 'gzip'
  try {
    const bytes = isPacked ? gunzipSync(body, { maxOutputLength: MAX_VERSIONS_BYTES }) : body
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    const what = /^\s*</.test(body.toString('latin1', 0, 100)) ? 'a page of HTML' : 'text that is not JSON'
    throw refusals.registry_answer({ host, what })
  }
}
