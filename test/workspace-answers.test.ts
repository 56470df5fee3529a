import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { modern } from '../server/mcp/testing/messages.ts'
import { mcpAsk, openRoomServer, type RoomServer } from './workspace-server-fixture.ts'

const META = 'io.modelcontextprotocol/'
/** Clients whose model gets one channel only. */
const CLIENTS = { text: 'gemini-cli-mcp-client', data: 'claude-code' } as const
type Channel = keyof typeof CLIENTS

interface Result {
  readonly text: string
  readonly data: Record<string, unknown>
}
type Call = (tool: string, input: Readonly<Record<string, unknown>>) => Promise<Result>

/** Calls tools over MCP as a client of this channel; a refusal is a result with the member `error`. */
async function callerOf(server: RoomServer, channel: Channel): Promise<Call> {
  const { token } = await server.join('ada', ['admin'])
  let last = 0
  return async (name, input) => {
    const _meta = { [`${META}clientInfo`]: { name: CLIENTS[channel], version: '1.0.0' } }
    const message = modern(++last, 'tools/call', { name, arguments: input, _meta })
    const answer = await server.ask(server.ingress, 'POST', '/mcp', mcpAsk(token, message))
    const result = answer.json['result'] as { content: { text: string }[]; structuredContent: Result['data'] }
    assert.ok(result, answer.text.slice(0, 500))
    return { text: result.content[0]?.text ?? '', data: result.structuredContent }
  }
}

/** What a model finds in one page: a part of the document, and the arguments that read on. */
type Page = readonly [part: string, next: Record<string, unknown> | undefined]

const READERS: Readonly<Record<Channel, (result: Result) => Page>> = {
  data({ data }) {
    const { next } = (data['page'] ?? {}) as { next?: { args: Record<string, unknown> } }
    return [String(data['content']), next?.args]
  },
  text({ text }) {
    const [, next] = /\nContinue with workspace_read (\{.*\})\.$/.exec(text) ?? []
    const [, block, , end] =
      /\n--- content \([^\n]*\)\n([\s\S]*)\n(--- end of content)(, no final newline)?\nuntrusted-[0-9a-f]{16}>>>/.exec(
        text,
      ) ?? []
    const part =
      block === undefined ? /\ncontent: (.*)\nuntrusted-/.exec(text)?.[1] : `${block}${end ? '' : '\n'}`
    assert.ok(part !== undefined, text.slice(0, 500))
    return [part, next === undefined ? undefined : JSON.parse(next)]
  },
}

/** Reads the document to its last page, as a model does that gets one channel. */
async function wholeDocument(call: Call, channel: Channel): Promise<{ content: string; pages: number }> {
  let content = ''
  let pages = 0
  for (let input: Record<string, unknown> | undefined = {}; input; ) {
    const [part, next]: Page = READERS[channel](await call('workspace_read', input))
    content += part
    pages += 1
    input = next
  }
  return { content, pages }
}

const line = (at: number): string => `- step ${at} of the plan, with a few words <b>*more*</b>`
const DOCUMENTS: readonly (readonly [name: string, text: string, leastPages: number])[] = [
  ['4 KB', `# Plan\n\n${Array.from({ length: 75 }, (_, at) => line(at)).join('\n')}\n`, 1],
  ['60 KB', `# Plan\n\n${Array.from({ length: 1100 }, (_, at) => line(at)).join('\n')}\n`, 4],
  ['60 KB and no line end at the end', `# Plan\n\n${'word '.repeat(12_000)}\n\nend`, 4],
  [
    '60 KB with CRLF',
    `# Plan\r\n\r\n${Array.from({ length: 1100 }, (_, at) => line(at)).join('\r\n')}\r\n`,
    4,
  ],
  ['one line of 250 KB', `${'🦊 fox '.repeat(25_000)}\n`, 15],
  ['one line without a line end', '# Plan', 1],
]

describe('a document that a model reads and gives back', () => {
  for (const channel of ['text', 'data'] as const) {
    test(`is the same, byte for byte, where the model gets ${channel} only`, async (t) => {
      for (const [name, document, leastPages] of DOCUMENTS) {
        const server = await openRoomServer(t, { text: document })
        const call = await callerOf(server, channel)

        const { content, pages } = await wholeDocument(call, channel)
        const change = { base_version: 1, summary: 'again, and more', content: `${content}more` }
        const proposed = await call('workspace_propose', change)
        const { proposal_id } = proposed.data
        const shown = await server.ask(
          server.ingress,
          'GET',
          `/workspace/proposal?proposal_id=${proposal_id}`,
          {
            token: (await server.join('eve', ['read'])).token,
          },
        )

        assert.ok(content === document, `${name}: ${content.length} of ${document.length} characters`)
        assert.ok(pages >= leastPages, `${name}: ${pages} pages`)
        assert.ok(shown.json['content'] === `${document}more`, name)
      }
    })
  }

  test('is whole at 300 KB in one line, and committed again as it was', async (t) => {
    const document = `${'x'.repeat(300 * 1024)}\n`
    const server = await openRoomServer(t, { text: document })
    const call = await callerOf(server, 'text')

    const { content } = await wholeDocument(call, 'text')
    const { data } = await call('workspace_commit', { base_version: 1, summary: 'again', content })

    assert.ok(content === document)
    assert.equal(data['version'], 2)
    assert.ok((await readFile(server.file, 'utf8')) === document)
  })
})

test('a page is cut at a line and says which lines it holds; max_tokens bounds it', async (t) => {
  const server = await openRoomServer(t, { text: DOCUMENTS[1]?.[1] ?? '' })
  const call = await callerOf(server, 'text')

  const { text, data } = await call('workspace_read', { max_tokens: 1000 })

  assert.match(text, /\nShown: content lines 1–\d+ of 1102\.\nContinue with workspace_read \{/)
  assert.ok(Buffer.byteLength(text) <= 4000, `${Buffer.byteLength(text)} bytes`)
  assert.ok(String(data['content']).endsWith('\n'))
  assert.equal(data['truncated'], undefined)
})

test('the fence that a model copies back with the document is not stored', async (t) => {
  const server = await openRoomServer(t, { text: '# Plan\n\nfirst\n' })
  const call = await callerOf(server, 'text')
  const { text } = await call('workspace_read', {})
  const [fence = ''] = /<<<untrusted-[\s\S]*>>>/.exec(text) ?? []

  const { data } = await call('workspace_propose', { base_version: 1, summary: 'copied', content: fence })
  const read = await call('workspace_proposal', { proposal_id: data['proposal_id'] })

  assert.match(fence, /untrusted-[0-9a-f]{16}>>>$/)
  assert.equal(read.data['content'], '--- content (3 lines)\n# Plan\n\nfirst\n--- end of content')
})

test('after a proposal the answer names who may review it, and after the review the commit', async (t) => {
  const server = await openRoomServer(t)
  const call = await callerOf(server, 'data')

  const proposed = await call('workspace_propose', { base_version: 1, summary: 's', content: '# New\n' })
  const { proposal_id, reviewers, next } = proposed.data
  const reviewed = await call('workspace_review', { proposal_id, approve: true })
  const changes = await call('workspace_changes', (next as { args: Record<string, unknown> }).args)

  assert.ok((reviewers as string[]).includes('ada'))
  assert.equal(reviewed.data['hint'], 'Commit it with workspace_commit.')
  assert.deepEqual(
    (changes.data['proposals'] as { proposal_id: string }[]).map((entry) => entry.proposal_id),
    [proposal_id],
  )
})

test('a digest of many changes begins with what concerns the caller, within its default budget, and names what is left', async (t) => {
  const server = await openRoomServer(t, { text: '# Plan\n' })
  const owner = await callerOf(server, 'data')
  const ada = await callerOf(server, 'text')
  const status = await ada('workspace_status', {})
  const to = /participant_id: (par_\w+)/.exec(status.text)?.[1]
  const numbers = Array.from({ length: 40 }, (_, at) => at + 1)
  for (const base_version of [1, 2]) {
    const content = `# Plan\n\n${base_version}\n`
    await owner('workspace_commit', { base_version, summary: 'One sentence of an ordinary length.', content })
  }
  for (const summary of numbers.map((at) => `proposal ${at} with a summary of an ordinary length`))
    await owner('workspace_propose', { base_version: 3, summary, content: `# Plan\n\n${summary}\n` })
  const { data } = await owner('workspace_handoff_create', { title: 'For ada', objective: 'o', to })

  const first = await ada('workspace_changes', { since_event_id: 0 })

  assert.ok(first.text.length / 4 <= 800, `${first.text.length / 4} tokens`)
  assert.ok(first.text.includes(String(data['handoff_id'])), first.text)
  assert.match(first.text, /Shown: proposals 1–\d+ of 40; document 0 of 2; /)
})

test('a stale base and a lease of another say in text what to do', async (t) => {
  const server = await openRoomServer(t, { text: '# Plan\n\n## Goals\none\n' })
  const call = await callerOf(server, 'text')
  const { data: lease } = await call('workspace_checkout', { target: 'section:Plan/Goals' })
  const other = await callerOf(server, 'text')
  await call('workspace_commit', {
    base_version: 1,
    summary: 'by hand',
    content: '# Plan\n\n## Goals\ntwo\n',
    force: true,
  })

  const stale = await other('workspace_propose', {
    base_version: 1,
    target: 'section:Plan/Goals',
    summary: 's',
    content: '## Goals\nthree\n',
  })
  const held = await other('workspace_checkout', { target: 'workspace' })

  assert.match(stale.text, /^conflict\/stale_version: /)
  assert.match(stale.text, /\ncurrent_version: 2\n/)
  assert.match(stale.text, /-one\n\+two/)
  assert.match(stale.text, /\nNext: workspace_read \{"section":"Plan\/Goals"\}$/)
  assert.match(held.text, new RegExp(`holder: ${lease['participant_id']}`))
  assert.match(held.text, /expires_at: \d{4}-/)
})
