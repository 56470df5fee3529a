import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import type { Database } from '../../contract/advanced/database.ts'
import { didYouMean, nearest } from '../../platform/nearest.ts'
import { satchelStateFolder } from '../../state-folder.ts'
import { refusals } from '../../tokens/refusals.ts'
import { parseScope } from '../../tokens/scopes.ts'
import {
  changeTokens,
  MAX_TOKENS,
  readTokens,
  type StoredToken,
  tokenDigest,
  tokensFile,
} from '../../tokens/token-file.ts'
import { TOKEN_NAME, TOKEN_PREFIX } from '../../tokens/token-form.ts'
import { addToken, loadTokens, removeToken } from '../../tokens/token-rows.ts'
import { defineHostVerb } from '../host-verb.ts'
import { printResult } from '../render.ts'
import { markUsage } from '../usage.ts'
import { withDatabaseIfSet } from '../with-database.ts'
import type { World } from '../world.ts'

const TOKEN_BYTES = 32
const DURATION = /^(\d{1,7})([mhd])$/
const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const LONGEST_MS = 3650 * 86_400_000

/** `satchel token create NAME`: prints a new token, which is kept as a hash only. */
export const tokenCreateVerb = defineHostVerb({
  path: ['token', 'create'],
  summary: 'create a token for callers of the servers of this user',
  description: [
    'Creates a token that every server of this user accepts, also one that runs. With storage.url, every server of that',
    'database accepts it. The token is printed once; only its hash is kept, in the state folder of this user or in the',
    'database. A scope is read, write or admin, for everything or for one plugin, as in PLUGIN:read; write includes read,',
    'admin includes both.',
  ].join(' '),
  input: z.object({
    name: z.string().describe('name of the token, as ci'),
    scope: z.array(z.string()).default(['read']).describe('what it allows; repeat it for several scopes'),
    expires: z
      .string()
      .optional()
      .describe('time until it expires, as 12h or 30d; absent: it does not expire'),
  }),
  typing: { positional: ['name'] },
  examples: ['satchel token create ci --scope read --expires 30d'],
  async run(world, { name, scope, expires }) {
    if (!TOKEN_NAME.test(name)) throw markUsage(refusals.token_name({ name: name.slice(0, 80) }))
    const scopes = [...new Set(scope.flatMap((each) => each.split(',')))]
    await requireKnownScopes(world, scopes)
    const now = world.doors.now()
    const token = `${TOKEN_PREFIX}${randomBytes(TOKEN_BYTES).toString('base64url')}`
    const created: StoredToken = {
      name,
      scopes,
      created_at: now.toISOString(),
      expires_at: expires === undefined ? null : new Date(now.getTime() + durationMs(expires)).toISOString(),
      sha256: tokenDigest(token).toString('hex'),
    }
    const isShared = await withTokens(world, async (own, shared) => {
      if (!shared) await addToFile(own, created)
      else if ((await readTokens(own)).some((each) => each.name === name))
        throw refusals.token_name_taken({ name })
      else await addToken(shared, created)
      return shared !== undefined
    })
    printResult(world.terminal, { data: { ...shown(created, now, isShared), token }, text: token })
    const until = created.expires_at === null ? 'does not expire' : `expires at ${created.expires_at}`
    world.terminal.note(`The token "${name}" (${scopes.join(', ')}) ${until}. It is not shown again.`)
    return 0
  },
})

/** `satchel token list`. */
export const tokenListVerb = defineHostVerb({
  path: ['token', 'list'],
  summary: 'list the tokens of this user',
  description: [
    'Lists the tokens of this user by name, with their scopes and their expiry, and with storage.url those of the',
    'database, which are shared. A token itself is never shown.',
  ].join(' '),
  input: z.object({}),
  examples: ['satchel token list'],
  async run(world) {
    const now = world.doors.now()
    const tokens = await withTokens(world, async (own, shared) => [
      ...(await readTokens(own)).map((token) => shown(token, now, false)),
      ...(shared ? await loadTokens(shared) : []).map((token) => shown(token, now, true)),
    ])
    const noun = tokens.length === 1 ? 'token' : 'tokens'
    await world.terminal.answer(`${tokens.length} ${noun}`, { tokens })
    return 0
  },
})

/** `satchel token revoke NAME`. */
export const tokenRevokeVerb = defineHostVerb({
  path: ['token', 'revoke'],
  summary: 'revoke a token of this user',
  description: [
    'Revokes a token. Running servers refuse it from their next request on, one of the database after at most a second,',
    'and end its streams.',
  ].join(' '),
  input: z.object({ name: z.string().describe('name of the token') }),
  typing: { positional: ['name'] },
  examples: ['satchel token revoke ci'],
  async run(world, { name }) {
    await withTokens(world, async (own, shared) => {
      if (shared && (await removeToken(shared, name))) return
      const others = shared ? (await loadTokens(shared)).map((token) => token.name) : []
      await changeTokens(own, (tokens) => {
        const names = [...tokens.map((token) => token.name), ...others]
        if (tokens.some((token) => token.name === name)) return tokens.filter((token) => token.name !== name)
        const hint = didYouMean(nearest(name, names), names)
        throw refusals.token_not_found({ name: name.slice(0, 80), hint })
      })
    })
    printResult(world.terminal, { data: { revoked: name }, text: `revoked ${name}` })
    return 0
  },
})

/** Runs `work` with the file of this user's tokens and, where `storage.url` is set, the database of those that are shared. */
function withTokens<T>(world: World, work: (own: string, shared?: Database) => Promise<T>): Promise<T> {
  const own = tokensFile(satchelStateFolder(world.io.env))
  return withDatabaseIfSet(world, (_, database) => work(own, database))
}

function addToFile(file: string, created: StoredToken): Promise<void> {
  return changeTokens(file, (tokens) => {
    const { name } = created
    if (tokens.some((each) => each.name === name)) throw refusals.token_name_taken({ name })
    if (tokens.length >= MAX_TOKENS) throw refusals.token_limit({ count: MAX_TOKENS })
    return [...tokens, created]
  })
}

/** Refuses a scope of a plugin that the configuration does not load: it would allow nothing. */
async function requireKnownScopes({ doors, line }: World, scopes: readonly string[]): Promise<void> {
  const parsed = scopes.map((scope) => ({ scope, ...parseScope(scope) }))
  const malformed = parsed.find(({ level }) => level === undefined)
  if (malformed) throw markUsage(refusals.scope_unknown({ scope: malformed.scope.slice(0, 120), hint: '' }))
  if (parsed.every(({ plugin }) => plugin === undefined)) return
  const host = await doors.setUpHost({ kind: 'all' }, await doors.loadConfig(line), line)
  try {
    const names = host.registry.instances.map(({ plugin }) => plugin)
    for (const { scope, plugin } of parsed) {
      if (plugin === undefined || names.includes(plugin)) continue
      const hint = ` The plugins of this configuration: ${names.join(', ')}.`
      throw markUsage(refusals.scope_unknown({ scope, hint }))
    }
  } finally {
    await host.stop()
  }
}

function durationMs(expires: string): number {
  const [, count, unit = ''] = DURATION.exec(expires) ?? []
  const ms = Number(count) * (UNIT_MS[unit] ?? Number.NaN)
  if (ms > 0 && ms <= LONGEST_MS) return ms
  throw markUsage(refusals.expiry_invalid({ expires: expires.slice(0, 40) }))
}

/** A token as people and programs see it. */
function shown({ name, scopes, created_at, expires_at }: StoredToken, now: Date, shared: boolean) {
  const isExpired = expires_at !== null && Date.parse(expires_at) <= now.getTime()
  return { name, scopes, created_at, expires_at, expired: isExpired, shared }
}
