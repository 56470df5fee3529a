import * as z from 'zod'
import { ANSWER_TOKENS, CHANNEL_SETTINGS } from './answer/bounds.ts'
import { LOG_LEVELS } from './log.ts'
import { isSecureAddress } from './platform/secure-address.ts'

const secureUrl = z.string().refine(isSecureAddress, 'must be an https URL, or http on this machine')

/** `http.oauth`: what the server needs to accept access tokens, as a resource server of MCP. */
const oauthSection = z.object({
  issuer: secureUrl.describe('the authorization server, exactly as its metadata and its tokens name it'),
  resource: secureUrl.describe('the address of this server for its clients'),
  audience: z.string().min(1).optional().describe('the audience of its tokens; absent: the resource'),
  jwks_uri: secureUrl.optional().describe('where its keys are; absent: its metadata says it'),
})

export type OAuthSettings = z.output<typeof oauthSection>

/** What no `Host` and no `Origin` of a request can be would never be accepted. */
const HOST_NAME = /^(\[[0-9a-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i
const ORIGIN = /^(null|[a-z][a-z0-9+.-]*:\/\/[^\s/?#*]+)$/i

/** `http:` of the configuration (surface, section 5). `mcp --transport` starts from host 127.0.0.1. */
export const httpSection = z.object({
  host: z.string().min(1).default('0.0.0.0').describe('address to listen at'),
  port: z.int().min(0).max(65535).default(8000).describe('port to listen at; 0 takes a free one'),
  log_level: z.enum(LOG_LEVELS).default('info').describe('how much is logged on stderr'),
  workers: z.int().min(1).default(1).describe('accepted for compatibility; one process serves'),
  reload: z.boolean().default(false).describe('restart the host when the configuration file changes'),
  token: z.string().min(8).nullable().default(null).describe('bearer token; null: one is made at start'),
  oauth: oauthSection
    .nullable()
    .default(null)
    .describe('accept access tokens of an OAuth 2.1 authorization server; null: none'),
  allowed_hosts: z
    .array(z.string().regex(HOST_NAME, 'must be a name with or without a port, as satchel.example:8000'))
    .default([])
    .describe('Host names accepted beside loopback'),
  allowed_origins: z
    .array(z.string().regex(ORIGIN, 'must be a scheme and a name without a path, as https://satchel.example'))
    .default([])
    .describe(
      'origins accepted beside the own one, as of a proxy; no CORS header is sent, so pages of other sites cannot call',
    ),
  trust_proxy: z
    .array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]))
    .default([])
    .describe(
      'addresses of reverse proxies, or their ranges as 10.0.0.0/8: their X-Forwarded-* is believed, and their callers need a token',
    ),
  local_proof: z
    .enum(['auto', 'user', 'token'])
    .default('auto')
    .describe(
      'proof that a caller on this machine is the same user: the owner of its connection, or the token file; auto is the first on Linux',
    ),
  socket: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('path of a Unix socket of mode 0600 to serve at beside the port; its callers need no token'),
  rate: z
    .number()
    .positive()
    .nullable()
    .default(null)
    .describe('requests a second from one address, with bursts of two seconds; null: no limit'),
  metrics: z.boolean().default(false).describe('serve counts and times at /metrics, for Prometheus'),
  drain_s: z
    .int()
    .min(0)
    .max(3600)
    .default(0)
    .describe('seconds that it goes on serving after SIGTERM while /ready is refused, for a load balancer'),
  on_stray_error: z
    .enum(['continue', 'stop'])
    .default('continue')
    .describe('what follows an error that nothing handles: go on after its log line, or stop in order'),
  roots: z
    .array(z.string())
    .default(['.'])
    .describe('folders that paths of REST and MCP callers may name, from the project root'),
})

/** `tools:` of the configuration: the tools that the MCP door offers. */
export const toolsSection = z.object({
  profile: z.enum(['core', 'standard', 'full']).default('standard').describe('how many tools are listed'),
  read_only: z.boolean().default(false).describe('removes every tool that writes; always wins'),
  include: z.array(z.string()).default([]).describe('tools listed beside the profile'),
  exclude: z.array(z.string()).default([]).describe('tools never listed'),
  answer_channel: z
    .enum(CHANNEL_SETTINGS)
    .default('auto')
    .describe('what the model gets of an answer: text, data or both; auto decides by the name of the client'),
  answer_tokens: z
    .int()
    .min(ANSWER_TOKENS.min)
    .max(ANSWER_TOKENS.max)
    .default(ANSWER_TOKENS.default)
    .describe('longest answer over MCP, as the model gets it'),
  audit_log: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('file to which each call of a tool that changes something adds a line; null: none'),
  call_limit_s: z.int().min(1).default(3600).describe('seconds after which a call of a client is ended'),
  call_cpu_s: z
    .int()
    .min(1)
    .default(30)
    .describe('seconds of the processor after which a call of a client is ended'),
})

/** `storage:` of the configuration. */
export const storageSection = z.object({
  url: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('PostgreSQL database that holds what docs/storage.md names, postgres://…; null: files'),
  audit: z
    .boolean()
    .default(false)
    .describe('each call of a tool that changes something also adds a row to satchel.audit of the database'),
})

/** `plugins:` of the configuration: path or npm name -> the plugin's own settings. */
export const pluginsSection = z.record(z.string(), z.record(z.string(), z.unknown()).nullable()).default({})

export type HttpSettings = z.output<typeof httpSection>
export type ToolSettings = z.output<typeof toolsSection>
export type StorageSettings = z.output<typeof storageSection>

/** Environment names of the host's own keys (spec module-ingestion "Runtime settings"; surface, section 5). */
export const HOST_ENV: Readonly<Record<string, string>> = {
  SERVER_HOST: 'http.host',
  SERVER_PORT: 'http.port',
  SERVER_LOG_LEVEL: 'http.log_level',
  SERVER_WORKERS: 'http.workers',
  SERVER_RELOAD: 'http.reload',
  SATCHEL_TOKEN: 'http.token',
  SATCHEL_STORAGE_URL: 'storage.url',
  SATCHEL_ANSWER_CHANNEL: 'tools.answer_channel',
  SATCHEL_ANSWER_TOKENS: 'tools.answer_tokens',
}
