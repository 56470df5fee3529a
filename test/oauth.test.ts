import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { openProject } from '../server/cli/testing/run-cli.ts'
import { CLIENT, openIdentityProvider } from './identity-provider.ts'

/** The address of the server for its clients, whose connections the test leads to where it listens. */
const RESOURCE = 'https://satchel.test/mcp'
const METADATA = 'https://satchel.test/.well-known/oauth-protected-resource/mcp'

async function openServer(t: TestContext, issuer: string, more = '') {
  const { root, serve } = await openProject(t)
  const oauth = `{ issuer: '${issuer}', resource: '${RESOURCE}'${more} }`
  await writeFile(join(root, 'oauth.yaml'), `http: { token: token-of-the-start, oauth: ${oauth} }\n`)
  const words = ['serve', '--host', '127.0.0.1', '--config', 'oauth.yaml']
  const { address } = await serve({ words, env: { XDG_STATE_HOME: join(root, 'state') } })
  const ask = async (path: string, token?: string, init: RequestInit = {}) => {
    const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...init.headers }
    const response = await fetch(`${address}${path}`, { ...init, headers })
    const challenge = response.headers.get('www-authenticate')
    return { status: response.status, challenge, json: JSON.parse(await response.text()) }
  }
  return { address, ask }
}

/** Claims of a good token. */
const claims = (issuer: string) => {
  const now = Math.floor(Date.now() / 1000)
  return { iss: issuer, aud: RESOURCE, sub: 'ada', iat: now, exp: now + 600, scope: 'handoff:read' }
}

describe('a server with http.oauth', () => {
  it('takes the tokens of its identity provider with their scopes, at REST and MCP', async (t) => {
    const provider = await openIdentityProvider(t, RESOURCE, 'handoff:read modules:read')
    const { ask } = await openServer(t, provider.issuer)
    const token = await provider.token('handoff:read')

    const read = await ask('/handoffs', token)
    const write = await ask('/handoffs', token, { method: 'POST' })
    const other = await ask('/repositories', token)
    const mcp = await ask('/mcp', token, { method: 'POST', body: '{}' })

    assert.equal(read.status, 200)
    assert.deepEqual([write.status, write.json.details.scope], [403, 'handoff:write'])
    assert.equal(
      other.challenge,
      `Bearer realm="satchel", error="insufficient_scope", scope="modules:read", resource_metadata="${METADATA}"`,
    )
    assert.equal(mcp.status, 415, 'it came past the credential')
  })

  it('is found and used by the official client, from its first 401 on', async (t) => {
    const provider = await openIdentityProvider(t, RESOURCE, 'handoff:read')
    const { address } = await openServer(t, provider.issuer)
    const credentials = new ClientCredentialsProvider({
      clientId: CLIENT.id,
      clientSecret: CLIENT.secret,
      scope: 'handoff:read',
      expectedIssuer: provider.issuer,
    })
    const asked: string[] = []
    const transport = new StreamableHTTPClientTransport(new URL(RESOURCE), {
      authProvider: credentials,
      fetch: (url, init) => {
        asked.push(String(url))
        const isOurs = String(url).startsWith('https://satchel.test/')
        const headers = new Headers(init?.headers)
        if (isOurs) headers.set('x-forwarded-for', '192.0.2.1') // as through a proxy: no caller is local
        return fetch(String(url).replace('https://satchel.test', address), { ...init, headers })
      },
    })
    const client = new Client({ name: 'test', version: '1' })
    t.after(() => client.close())

    await client.connect(transport)
    const listed = await client.callTool({ name: 'handoff_list', arguments: {} })

    assert.notEqual(listed.isError, true)
    assert.ok(asked.includes(METADATA))
    assert.ok(asked.includes(`${provider.issuer}/token`))
    await assert.rejects(client.callTool({ name: 'handoff_create', arguments: {} }))
  })

  it('says to everyone where tokens come from', async (t) => {
    const { ask } = await openServer(t, 'https://id.example/tenant')
    const proxied = { headers: { 'x-forwarded-for': '192.0.2.1' } }

    const [there, root, refused] = [
      await ask('/.well-known/oauth-protected-resource/mcp', undefined, proxied),
      await ask('/.well-known/oauth-protected-resource', undefined, proxied),
      await ask('/handoffs', undefined, proxied),
    ]

    assert.deepEqual(there, root)
    const { scopes_supported: scopes, ...rest } = there.json
    assert.deepEqual(rest, {
      resource: RESOURCE,
      authorization_servers: ['https://id.example/tenant'],
      bearer_methods_supported: ['header'],
      resource_name: 'satchel',
    })
    assert.ok(scopes.includes('read') && scopes.includes('modules:write'))
    assert.equal(refused.status, 401)
    assert.equal(refused.challenge, `Bearer realm="satchel", resource_metadata="${METADATA}"`)
  })

  it('refuses every token that is not for it, with what is wrong, and still takes its own', async (t) => {
    const provider = await openIdentityProvider(t, RESOURCE, 'read')
    const { ask } = await openServer(t, provider.issuer)
    const good = claims(provider.issuer)
    const stranger = (await generateKeyPair('RS256')).privateKey
    const past = good.iat - 3600
    const { exp: _, ...endless } = good
    const { sub: __, ...nameless } = good
    const byStranger = (kid: string) =>
      new SignJWT(good).setProtectedHeader({ alg: 'RS256', kid }).sign(stranger)
    const shared = new SignJWT(good)
      .setProtectedHeader({ alg: 'HS256', kid: 'first' })
      .sign(new TextEncoder().encode('x'.repeat(32)))
    const real = await provider.sign(good)
    const refused: Readonly<Record<string, readonly [token: string, fault: RegExp]>> = {
      'wrong audience': [await provider.sign({ ...good, aud: 'https://other.test/' }), /claim "aud"/],
      'no audience': [await provider.sign({ ...good, aud: undefined }), /claim "aud"/],
      'wrong issuer': [await provider.sign({ ...good, iss: 'https://evil.example' }), /claim "iss"/],
      expired: [await provider.sign({ ...good, iat: past, exp: past + 60 }), /expired/],
      endless: [await provider.sign(endless), /claim "exp"/],
      'not yet valid': [await provider.sign({ ...good, nbf: good.iat + 600 }), /claim "nbf"/],
      'without a subject': [await provider.sign(nameless), /subject/],
      'alg none': [new UnsecuredJWT(good).encode(), /malformed|algorithm/],
      'alg none with a signature': [
        `${btoa('{"alg":"none"}').replaceAll('=', '')}.${real.split('.').slice(1).join('.')}`,
        /algorithm/,
      ],
      'a shared secret': [await shared, /algorithm/],
      'unknown kid': [await provider.sign(good, 'other'), /no key of that kid/],
      'a key of another': [await byStranger('first'), /signature/],
      changed: [`${real.slice(0, -8)}AAAAAAAA`, /signature/],
    }
    for (const [name, [token, fault]] of Object.entries(refused)) {
      const { status, challenge, json } = await ask('/handoffs', token)

      assert.deepEqual([status, json.reason], [401, 'access_token_invalid'], name)
      assert.match(json.detail, fault, name)
      assert.match(String(challenge), /error="invalid_token", resource_metadata=/)
    }
    assert.equal((await ask('/handoffs', real)).status, 200)
    assert.equal((await ask('/handoffs', 'token-of-the-start')).status, 200)
    assert.equal(
      (await ask('/handoffs', await provider.sign({ ...good, scope: 'openid email' }))).status,
      403,
    )
  })

  it('accepts none while the keys of the issuer cannot be read', async (t) => {
    const provider = await openIdentityProvider(t, RESOURCE, 'read')
    const token = await provider.sign(claims(provider.issuer))
    const [discovering, direct] = [
      await openServer(t, provider.issuer),
      await openServer(t, provider.issuer, `, jwks_uri: '${provider.issuer}/jwks'`),
    ]
    const other = await openServer(t, `${provider.issuer}/tenant`)
    const before = await direct.ask('/handoffs', token)
    await provider.close()

    const after = [await discovering.ask('/handoffs', token), await other.ask('/handoffs', token)]
    const cached = await direct.ask('/handoffs', token)

    assert.equal(before.status, 200)
    for (const { status, json } of after) {
      assert.deepEqual([status, json.reason], [503, 'issuer_unavailable'])
      assert.match(json.detail, /keys of http/)
    }
    assert.equal(cached.status, 200, 'its keys were read before')
    assert.equal((await discovering.ask('/handoffs', 'token-of-the-start')).status, 200)
  })
})
