/** The tokens for registries that are on this machine: where Terraform and OpenTofu look for them. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { homeFolder, parsedJson } from '../../../server/plugin.ts'
import type { Attribute } from '../hcl/body.ts'
import { readLiteral } from '../hcl/literals.ts'
import { readHcl } from '../hcl/reader.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The token of a host (`name` or `name:port`, lower case); a function, so that printing the object cannot leak one. */
export type TokenOf = (host: string) => string | undefined

const VARIABLE = 'TF_TOKEN_'
/** What `terraform login` writes. */
const SAVED = 'credentials.tfrc.json'
const MAX_FILE_BYTES = 1024 * 1024

/**
 * Reads `TF_TOKEN_<host>` (`_` means a dot, `__` a hyphen), then the `credentials` blocks of the configuration
 * of the command line and what `terraform login` saved. A file that is missing or damaged has no tokens.
 */
export async function loadHostTokens(env: Environment): Promise<TokenOf> {
  const tokens = new Map<string, string>()
  for (const file of configurationFiles(env)) {
    for (const [host, token] of await tokensIn(file)) if (!tokens.has(host)) tokens.set(host, token)
  }
  for (const [name, token] of Object.entries(env)) {
    if (!name.startsWith(VARIABLE) || token === undefined || token === '') continue
    const host = name.slice(VARIABLE.length).replaceAll('__', '-').replaceAll('_', '.').toLowerCase()
    tokens.set(host, token)
  }
  return (host) => tokens.get(host.toLowerCase())
}

/** The variable that holds the token of a host. */
export function tokenVariable(host: string): string {
  return `${VARIABLE}${host.replaceAll('-', '__').replaceAll('.', '_')}`
}

function configurationFiles(env: Environment): readonly string[] {
  const home = env['HOME'] || env['USERPROFILE'] || homeFolder()
  const data = env['APPDATA']
  const named = env['TF_CLI_CONFIG_FILE'] || env['TERRAFORM_CONFIG']
  const below = (folder: string | undefined, ...names: string[]): string[] =>
    folder === undefined ? [] : names.map((name) => join(folder, name))
  const usual = [...below(home, '.terraformrc', '.tofurc'), ...below(data, 'terraform.rc', 'tofu.rc')]
  const saved = [...below(home, join('.terraform.d', SAVED)), ...below(data, join('terraform.d', SAVED))]
  return [...(named ? [named] : usual), ...saved]
}

type HostToken = readonly [string, string]

async function tokensIn(file: string): Promise<readonly HostToken[]> {
  const text = await textOf(file)
  if (text === undefined) return []
  return file.endsWith('.json') ? savedTokens(text) : blockTokens(text)
}

/** Undefined for what is not a regular file of at most 1 MiB. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    const found = await stat(file)
    return found.isFile() && found.size <= MAX_FILE_BYTES ? await readFile(file, 'utf8') : undefined
  } catch {
    return undefined
  }
}

/** `credentials "host" { token = "…" }` */
function blockTokens(text: string): readonly HostToken[] {
  return readHcl(text).blocks.flatMap(({ type, labels, body }) => {
    const token = type === 'credentials' ? stringOf(body.attributes.get('token')) : undefined
    const [host] = labels
    return host === undefined || token === undefined ? [] : [[host.toLowerCase(), token] as const]
  })
}

function stringOf(attribute: Attribute | undefined): string | undefined {
  const literal = attribute?.kind === 'source' ? readLiteral(attribute.text) : undefined
  return literal?.kind === 'literal' && typeof literal.value === 'string' && literal.value !== ''
    ? literal.value
    : undefined
}

const savedFile = z.object({ credentials: z.record(z.string(), z.object({ token: z.string().min(1) })) })

/** `{"credentials": {"host": {"token": "…"}}}` */
function savedTokens(text: string): readonly HostToken[] {
  // Another program's file, which that program reports.
  const { credentials = {} } = savedFile.safeParse(parsedJson(text)).data ?? {}
  return Object.entries(credentials).map(([host, { token }]) => [host.toLowerCase(), token] as const)
}
