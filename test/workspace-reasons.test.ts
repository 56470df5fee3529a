import assert from 'node:assert/strict'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import * as z from 'zod'
import { realWorld } from '../plugins/workspace/connection/clock.ts'
import { LIMITS } from '../plugins/workspace/domain/limits.ts'
import { startCli } from '../server/cli/testing/run-cli.ts'
import { modern } from '../server/mcp/testing/messages.ts'
import { realDisk } from '../server/platform/disk.ts'
import { definePlugin } from '../server/plugin.ts'
import { temporaryFolder } from './harness/index.ts'
import { mcpAsk, openRoomServer, type RoomServer, type Session } from './workspace-server-fixture.ts'

const AGENT = ['read', 'observe', 'propose', 'checkout', 'commit']
const DOCUMENT = '# Plan\n\n## Goals\none\n\n## Steps\ntwo\n'

type Input = Readonly<Record<string, unknown>>
interface Refused {
  readonly code: unknown
  readonly reason: unknown
  readonly details: Input
}

/** The three ways of one session to the same tool. */
interface Doors {
  mcp(token: string, tool: string, input: Input): Promise<Refused>
  rest(token: string, tool: string, input: Input): Promise<Refused>
  cli(token: string, tool: string, input: Input): Promise<Refused>
}

const EXIT_CODES: Readonly<Record<string, number>> = {
  invalid: 3,
  unauthorized: 6,
  forbidden: 6,
  not_found: 4,
  conflict: 5,
  too_large: 3,
  rate_limited: 7,
  unavailable: 7,
}

async function doorsOf(t: TestContext, server: RoomServer): Promise<Doors> {
  const cwd = await temporaryFolder(t)
  const sessions = join(cwd, '.config', 'satchel', 'sessions')
  await mkdir(sessions, { recursive: true })
  const routes = new Map(
    server.opened.host.registry.tools.map(({ tool }) => [tool.name, [tool.http ?? []].flat()[0]] as const),
  )
  return {
    async mcp(token, tool, input) {
      const { text, json } = await callTool(server, token, tool, input)
      const result = json['result'] as { structuredContent: { error: Input } } | undefined
      // Without a session the transport itself refuses.
      const refused = result?.structuredContent.error ?? (json['error'] as { data: Input }).data
      return refusedBy(refused, text)
    },
    async rest(token, tool, input) {
      const route = routes.get(tool)
      if (!route) throw new Error(`${tool} has no route`)
      const query = new URLSearchParams(
        Object.entries(input).map(([key, value]): [string, string] => [key, String(value)]),
      )
      const asked =
        route.method === 'GET'
          ? await server.ask(server.ingress, 'GET', `${route.path}?${query}`, { token })
          : await server.ask(server.ingress, route.method, filled(route.path, input), { token, body: input })
      return refusedBy(asked.json, asked.text)
    },
    async cli(token, tool, input) {
      const saved = { token, workspace_id: server.workspaceId, url: server.ingress }
      await writeFile(join(sessions, `${server.workspaceId}.json`), JSON.stringify(saved))
      const argv = ['workspace', 'call', tool, '-', '--json']
      const ran = await startCli(argv, { cwd, env: { HOME: cwd }, stdin: JSON.stringify(input) }).done
      const { error } = JSON.parse(ran.out)
      assert.equal(ran.code, EXIT_CODES[error.code], `${tool}: exit code of ${error.code}`)
      return refusedBy(error, ran.out)
    },
  }
}

function filled(path: string, input: Input): string {
  return path.replace(/\{(\w+)\}/g, (_, key: string) => String(input[key]))
}

function callTool(server: RoomServer, token: string, name: string, input: Input) {
  const message = modern(1, 'tools/call', { name, arguments: input })
  return server.ask(server.ingress, 'POST', '/mcp', mcpAsk(token, message))
}

/** What may differ between two equal refusals: how long is left to wait, and the marks that a model needs. */
function refusedBy(error: Input, said: string): Refused {
  assert.ok(typeof error['reason'] === 'string', said.slice(0, 500))
  const { retry_after_seconds: _, retry_after_s: __, ...details } = (error['details'] ?? {}) as Input
  const unmarked: unknown = JSON.parse(JSON.stringify(details, (_name, value) => withoutMarks(value)))
  return { code: error['code'], reason: error['reason'], details: unmarked as Input }
}

function withoutMarks(value: unknown): unknown {
  return typeof value === 'string'
    ? value.replace(/^<<<untrusted-[^\n]*\n|\nuntrusted-\w{16}>>>$/g, '')
    : value
}

interface Case {
  readonly expected: string
  readonly who: Session | { readonly token: string }
  readonly tool: string
  readonly input: Input
}

/** A room in which something of every kind is in a state that refuses, with the calls that meet it. */
/** A requirement that no result meets. */
const NEVER = definePlugin({
  name: 'never',
  version: '1.0.0',
  apiVersion: 1,
  config: z.object({}),
  setup: async () => ({
    evidence: [
      {
        name: 'never',
        takes: 'anything',
        capture: async () => ({ facts: {}, verdict: 'stale', reason: 'it never holds' }),
        verify: async () => ({ verdict: 'stale', reason: 'it never holds' }),
        describe: () => 'never',
      },
    ],
  }),
})

async function troubledRoom(t: TestContext) {
  const server = await openRoomServer(t, { text: DOCUMENT, plugins: [NEVER] })
  const admin = await server.join('ada', ['*'])
  const agent = await server.join('bob', AGENT)
  const ended = await server.join('cem', AGENT)
  const does = async (who: Session, tool: string, input: Input): Promise<Record<string, string>> => {
    const { json, text } = await callTool(server, who.token, tool, input)
    const result = json['result'] as { isError?: boolean; structuredContent: Record<string, string> }
    assert.ok(result && !result.isError, `${tool}: ${text}`)
    return result.structuredContent
  }
  const change = { summary: 's', target: 'section:Plan/Steps' }

  await does(admin, 'workspace_session_end', { session_id: ended.session_id })
  const old = await does(agent, 'workspace_propose', {
    ...change,
    base_version: 1,
    content: '## Steps\nbob\n',
  })
  const text = DOCUMENT.replace('two', 'ada')
  await does(admin, 'workspace_commit', { base_version: 1, summary: 's', content: text })
  const rejected = await does(agent, 'workspace_propose', {
    ...change,
    base_version: 2,
    content: '## Steps\n',
  })
  await does(admin, 'workspace_review', { proposal_id: rejected['proposal_id'], approve: false })
  const good = await does(agent, 'workspace_propose', {
    ...change,
    base_version: 2,
    content: '## Steps\nb\n',
  })
  await does(admin, 'workspace_review', { proposal_id: good['proposal_id'], approve: true })
  const lost = await does(agent, 'workspace_checkout', { target: 'section:Plan/Goals' })
  await does(agent, 'workspace_release', { lease_id: lost['lease_id'] })
  await does(agent, 'workspace_checkout', { target: 'section:Plan/Goals' })
  const keyed = { ...change, base_version: 2, idempotency_key: 'k' }
  await does(agent, 'workspace_propose', { ...keyed, content: 'once' })
  const handoff = await does(admin, 'workspace_handoff_create', { title: 'T', objective: 'O' })

  const strict = await does(agent, 'workspace_handoff_create', {
    title: 'T',
    objective: 'O',
    requires: ['never'],
  })
  const strictId = { handoff_id: strict['handoff_id'] }
  await does(agent, 'workspace_handoff_accept', strictId)
  await does(agent, 'workspace_handoff_result', { ...strictId, summary: 'done' })
  const handoffId = { handoff_id: handoff['handoff_id'] }
  const raw = { base_version: 2, summary: 's', content: '# Raw\n' }
  const proposed = { ...change, base_version: 2 }
  const large = 'x'.repeat(256 * 1024 + 1)
  const cases: readonly (readonly [string, Case['who'], string, Input])[] = [
    ['unauthorized', { token: 'ses_nobody' }, 'workspace_status', {}],
    ['session_expired', ended, 'workspace_status', {}],
    ['permission_denied', agent, 'workspace_review', { proposal_id: good['proposal_id'], approve: true }],
    ['invalid_request', agent, 'workspace_propose', { base_version: 2, summary: ' ', content: 'x' }],
    ['participant_not_found', admin, 'workspace_leave', { participant_id: 'par_0000000000000000' }],
    ['session_not_found', admin, 'workspace_session_end', { session_id: 'ssn_0000000000000000' }],
    ['proposal_not_found', agent, 'workspace_withdraw', { proposal_id: 'prop_0000000000000000' }],
    ['lease_not_found', agent, 'workspace_renew', { lease_id: 'lease_0000000000000000' }],
    ['invite_not_found', admin, 'workspace_invite_revoke', { invite_id: 'inv_0000000000000000' }],
    ['handoff_not_found', agent, 'workspace_handoff_accept', { handoff_id: 'ho_0000000000000000' }],
    ['version_not_found', agent, 'workspace_diff', { from_version: 1, to_version: 99 }],
    ['limit_exceeded', agent, 'workspace_checkout', { target: 'section:Plan/Steps', minutes: 999 }],
    ['limit_exceeded', agent, 'workspace_propose', { ...proposed, content: large }],
    ['invalid_region', agent, 'workspace_propose', { ...proposed, target: 'section:No', content: 'x' }],
    ['lease_conflict', admin, 'workspace_checkout', { target: 'workspace' }],
    ['lease_conflict', admin, 'workspace_commit', raw],
    ['lease_not_active', agent, 'workspace_renew', { lease_id: lost['lease_id'] }],
    ['stale_version', agent, 'workspace_propose', { ...proposed, base_version: 1, content: 'x' }],
    ['stale_version', admin, 'workspace_commit', { ...raw, base_version: 1, force: true }],
    ['edit_failed', agent, 'workspace_propose', { ...proposed, edits: [{ old: 'nowhere', new: 'x' }] }],
    ['no_change', agent, 'workspace_propose', { ...proposed, content: '## Steps\nada\n' }],
    ['stale_fence', agent, 'workspace_commit', { proposal_id: good['proposal_id'], fence: 99 }],
    ['proposal_conflict', agent, 'workspace_commit', { proposal_id: rejected['proposal_id'] }],
    ['proposal_conflict', admin, 'workspace_review', { proposal_id: rejected['proposal_id'], approve: true }],
    ['merge_conflict', agent, 'workspace_rebase', { proposal_id: old['proposal_id'] }],
    ['idempotency_mismatch', agent, 'workspace_propose', { ...keyed, content: 'twice' }],
    ['handoff_record_invalid', agent, 'workspace_handoff_create', { title: 'T', objective: 'O', record: {} }],
    ['requirements_unmet', admin, 'workspace_handoff_review', { ...strictId, approve: true }],
    ['handoff_state', admin, 'workspace_handoff_review', { ...handoffId, approve: true }],
  ]
  return { server, admin, agent, cases }
}

test('every refusal of the room is the same over MCP, REST and the command line', async (t) => {
  const { server, admin, agent, cases } = await troubledRoom(t)
  const doors = await doorsOf(t, server)
  const assertEqual = async (expected: string, who: Case['who'], tool: string, input: Input) => {
    const before = (await server.ask(server.ingress, 'GET', '/workspace/status', { token: admin.token })).json
    const over = [
      await doors.mcp(who.token, tool, input),
      await doors.rest(who.token, tool, input),
      await doors.cli(who.token, tool, input),
    ]
    assert.deepEqual(
      [over[0]?.reason, over[1], over[2]],
      [expected, over[0], over[0]],
      `${tool}: ${expected}`,
    )
    const after = (await server.ask(server.ingress, 'GET', '/workspace/status', { token: admin.token })).json
    assert.deepEqual(after, before, `${tool}: ${expected} changed the room`)
  }

  for (const [expected, who, tool, input] of cases) await assertEqual(expected, who, tool, input)

  // Too long to travel in a record: such a text is a file of its own first.
  const content = '# Raw\n'.padEnd(300_000, '.')
  const raw = { base_version: 2, summary: 's', content, force: true }
  const versions = join(server.file, '..', '.plan.md.satchel', 'versions')
  await rename(versions, `${versions}-away`)
  await writeFile(versions, 'no folder')
  await assertEqual('store_unavailable', admin, 'workspace_commit', raw)
  await rm(versions)
  await rename(`${versions}-away`, versions)
  for (let size = 0; size < 9; size += 1) {
    await writeFile(server.file, `${size}`.repeat(4 * 1024 * 1024))
    await server.ask(server.ingress, 'GET', '/workspace/status', { token: admin.token })
  }
  await assertEqual('version_pruned', agent, 'workspace_diff', { from_version: 1, to_version: 2 })
  await writeFile(server.file, Buffer.from([0xff]))
  await assertEqual('substrate_invalid', admin, 'workspace_commit', { ...raw, base_version: 11 })
})

test('a store whose flush failed refuses the call alike at every door, and the room is served no longer', async (t) => {
  const refused: Refused[] = []
  for (const door of ['mcp', 'rest', 'cli'] as const) {
    let isBroken = false
    const breaking =
      <T>(flush: (file: number) => T) =>
      (file: number): T => {
        if (isBroken) throw Object.assign(new Error('the medium is worn out'), { code: 'EIO' })
        return flush(file)
      }
    const disk = { ...realDisk, flush: breaking(realDisk.flush), flushSync: breaking(realDisk.flushSync) }
    const server = await openRoomServer(t, { text: DOCUMENT, disk })
    const { token } = await server.join('ada', ['*'])
    const doors = await doorsOf(t, server)

    isBroken = true
    const input = { base_version: 1, summary: 's', target: 'section:Plan/Steps', content: '## Steps\nx\n' }
    refused.push(await doors[door](token, 'workspace_propose', input))

    assert.equal(await server.ended, 7)
    assert.equal(await readFile(server.file, 'utf8'), DOCUMENT)
  }

  assert.deepEqual([refused[0]?.code, refused[0]?.reason], ['unavailable', 'store_poisoned'])
  assert.deepEqual([refused[1], refused[2]], [refused[0], refused[0]])
})

test('an invitation that is unknown, used, revoked or over is refused alike over REST and the command line', async (t) => {
  let passed = 0
  const server = await openRoomServer(t, { nowMicros: () => realWorld.nowMicros() + passed })
  const cwd = await temporaryFolder(t)
  const { token } = await server.join('ada', ['*'])
  const ask = (path: string, body: Input) => server.ask(server.ingress, 'POST', path, { token, body })
  const invite = async (body: Input = {}) => (await ask('/workspace/invite', body)).json
  const [used, revoked, late] = [
    await invite({ minutes: LIMITS.inviteMinutes * 2 }),
    await invite({ minutes: LIMITS.inviteMinutes * 2 }),
    await invite(),
  ]
  await ask('/session/join', { invite: used['uri'], name: 'bob' })
  await ask('/workspace/invite/revoke', { invite_id: revoked['invite_id'] })
  const ticket = Buffer.from(String(used['uri']).split('/').at(-1) ?? '', 'base64url').toString()
  const unknown = ticket.replace(/"secret":"[^"]*"/, `"secret":"${'A'.repeat(32)}"`)
  const invitations: readonly (readonly [string, unknown])[] = [
    ['invitation_redeemed', used['uri']],
    ['invitation_revoked', revoked['uri']],
    ['invitation_expired', late['uri']],
    ['invitation_unknown', `satchel://join/${Buffer.from(unknown).toString('base64url')}`],
  ]

  passed = (LIMITS.inviteMinutes + 1) * 60_000_000
  for (const [expected, uri] of invitations) {
    const rest = (await ask('/session/join', { invite: uri, name: 'eve' })).json
    const argv = ['workspace', 'join', String(uri), '--name', 'eve', '--json']
    const ran = await startCli(argv, { cwd, env: { HOME: cwd } }).done
    const { error } = JSON.parse(ran.out)
    assert.deepEqual([error.code, error.reason, rest['reason']], [rest['code'], expected, expected])
    assert.equal(ran.code, EXIT_CODES[error.code])
  }
})

test('what is missing in a room is refused with a call that lists what there is', async (t) => {
  const { server, admin } = await troubledRoom(t)
  const missing: readonly (readonly [string, Input])[] = [
    ['workspace_leave', { participant_id: 'par_0000000000000000' }],
    ['workspace_session_end', { session_id: 'ssn_0000000000000000' }],
    ['workspace_proposal', { proposal_id: 'prop_0000000000000000' }],
    ['workspace_release', { lease_id: 'lease_0000000000000000' }],
    ['workspace_invite_revoke', { invite_id: 'inv_0000000000000000' }],
    ['workspace_handoff_get', { handoff_id: 'hnd_0000000000000000' }],
    ['workspace_read', { version: 99 }],
  ]
  for (const [tool, input] of missing) {
    const refused = (await callTool(server, admin.token, tool, input)).json['result'] as {
      structuredContent: { error: { code: string; next?: { tool: string; args: Input } } }
    }
    const { code, next } = refused.structuredContent.error
    assert.equal(code, 'not_found', tool)
    assert.ok(next, `${tool} names no next call`)
    const listed = (await callTool(server, admin.token, next.tool, next.args)).json['result'] as Input
    assert.notEqual(listed['isError'], true, next.tool)
  }
})
