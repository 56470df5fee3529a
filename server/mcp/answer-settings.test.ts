import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import * as z from 'zod'
import { openHost } from '../../test/harness/open-host.ts'
import { temporaryFolder } from '../../test/harness/temporary-folder.ts'
import { BYTES_PER_TOKEN } from '../answer/bounds.ts'
import { loadConfig } from '../config.ts'
import { definePlugin, defineTool } from '../plugin.ts'
import { legacy, type Message, modern } from './testing/messages.ts'
import { samplePlugin } from './testing/sample-plugin.ts'
import { resultOf } from './testing/served-stdio.ts'
import { openStdio } from './testing/stdio-client.ts'

const LONG = { name: 'sample_echo', arguments: { text: 'a line of text\n'.repeat(8000) } }

interface Answer {
  readonly content: readonly { readonly text: string }[]
  readonly structuredContent?: { readonly page?: object }
}

const tokens = (text: string): number => Buffer.byteLength(text) / BYTES_PER_TOKEN

const ask = async (t: TestContext, ...messages: Message[]): Promise<Answer> => {
  const { plugin } = samplePlugin()
  const { host } = await openHost(t, { plugins: [plugin] })
  const client = openStdio(t, host)
  client.send(...messages)
  return resultOf(await client.answer(9)) as never
}

/** A tool whose answers have a bound of their own at the doors without pages. */
const bounded = definePlugin({
  name: 'bounded',
  version: '1.0.0',
  apiVersion: 1,
  config: z.object({}),
  async setup() {
    const tool = defineTool({
      name: 'bounded_text',
      title: 'Bounded text',
      description: 'Returns a long text.',
      profile: 'core',
      input: () => z.object({ max_tokens: z.number().default(8000).describe('longest answer') }),
      output: () => z.object({ text: z.string() }),
      annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      http: { method: 'GET', path: '/bounded' },
      cli: { verb: 'bounded text' },
      example: {},
      headline: () => 'Text.',
      handler: async (_, { max_tokens }) => ({ text: 'a line of text\n'.repeat((max_tokens * 4) / 15) }),
    })
    return { tools: [tool] }
  },
})

/** A call of 2026-07-28 by a client that names itself so. */
const callBy = (clientInfo: unknown): Message =>
  modern(9, 'tools/call', { ...LONG, _meta: { 'io.modelcontextprotocol/clientInfo': clientInfo } })

const initializeAs = (protocolVersion: string, name: string): Message =>
  legacy(0, 'initialize', { protocolVersion, capabilities: {}, clientInfo: { name, version: '1' } })

describe('how an answer is bounded for each client over stdio', () => {
  test('an unknown client gets text and data, each within the bound', async (t) => {
    const { content, structuredContent } = await ask(t, callBy({ name: 'someone', version: '1' }))

    const [text, data] = [tokens(content[0]?.text ?? ''), tokens(JSON.stringify(structuredContent))]
    assert.ok(Math.max(text, data) <= 4000 && Math.min(text, data) > 3000, `${text} and ${data}`)
    assert.ok(structuredContent?.page)
  })

  test('a client with a known name is bounded by what its model gets, also if the name is a lie', async (t) => {
    const byText = await ask(t, callBy({ name: 'opencode', version: '1' }))
    const byData = await ask(t, callBy({ name: 'claude-code', version: '1' }))

    assert.ok(tokens(byText.content[0]?.text ?? '') <= 4000)
    assert.ok(tokens(JSON.stringify(byData.structuredContent)) <= 4000)
    for (const { content, structuredContent } of [byText, byData])
      assert.ok((content[0]?.text.length ?? 0) > 10_000 && structuredContent?.page)
  })

  test('the default of a tool for its other doors does not exceed the setting, what a call asks for does', async (t) => {
    const asked = async (args: object): Promise<number> => {
      const { host } = await openHost(t, { plugins: [bounded] })
      const client = openStdio(t, host)
      client.send(
        initializeAs('2025-11-25', 'opencode'),
        legacy(9, 'tools/call', { name: 'bounded_text', arguments: args }),
      )
      const { content } = resultOf(await client.answer(9)) as never as Answer
      return tokens(content[0]?.text ?? '')
    }

    assert.ok((await asked({})) <= 4000)
    assert.ok((await asked({ max_tokens: 7000 })) > 6000)
  })

  test('a client without a name gets the same as an unknown one', async (t) => {
    const named = initializeAs('2025-11-25', '')

    const { content, structuredContent } = await ask(t, named, legacy(9, 'tools/call', LONG))

    assert.ok(tokens(content[0]?.text ?? '') <= 4000)
    assert.ok(tokens(JSON.stringify(structuredContent)) <= 4000)
  })

  test('without clientInfo an older client is refused, and a call of 2026-07-28 is bounded like an unknown one', async (t) => {
    const { plugin } = samplePlugin()
    const { host } = await openHost(t, { plugins: [plugin] })
    const client = openStdio(t, host)
    client.send(
      legacy(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {} }),
      callBy(undefined),
    )

    const { error } = await client.answer(1)
    const { content, structuredContent } = resultOf(await client.answer(9)) as never as Answer
    assert.equal((error as { code: number }).code, -32602)
    assert.ok(tokens(content[0]?.text ?? '') <= 4000)
    assert.ok(tokens(JSON.stringify(structuredContent)) <= 4000)
  })

  for (const version of ['2024-11-05', '2025-03-26']) {
    test(`at ${version} the data is a second block of text, and both are within one bound`, async (t) => {
      const answer = await ask(t, initializeAs(version, 'opencode'), legacy(9, 'tools/call', LONG))

      const [text, data] = answer.content.map((block) => block.text)
      assert.equal(answer.structuredContent, undefined)
      assert.ok(JSON.parse(data ?? '').page)
      assert.ok(tokens((text ?? '') + (data ?? '')) <= 4000)
    })
  }
})

describe('the settings of an answer', () => {
  const decided = async (t: TestContext, given: { flag?: object; env?: object; file?: string }) => {
    const cwd = await temporaryFolder(t)
    if (given.file !== undefined) await writeFile(join(cwd, 'satchel.yaml'), given.file)
    const { tools } = await loadConfig({ cwd, env: { ...given.env }, flags: { ...given.flag } })
    return [tools.answer_channel, tools.answer_tokens]
  }
  const file = 'tools:\n  answer_channel: text\n  answer_tokens: 1000\n'
  const env = { SATCHEL_ANSWER_CHANNEL: 'data', SATCHEL_ANSWER_TOKENS: '2000' }
  const flag = { 'tools.answer_channel': 'both', 'tools.answer_tokens': 3000 }

  test('flag, environment and file each decide, in this order; the default is auto and 4,000', async (t) => {
    assert.deepEqual(await decided(t, {}), ['auto', 4000])
    assert.deepEqual(await decided(t, { file }), ['text', 1000])
    assert.deepEqual(await decided(t, { file, env }), ['data', 2000])
    assert.deepEqual(await decided(t, { file, env, flag }), ['both', 3000])
  })

  test('0, 1, one million, a word and an unknown channel are refused by their name', async (t) => {
    for (const value of ['0', '1', '499', '10001', '1000000', 'none', '4000.5'])
      await assert.rejects(decided(t, { env: { SATCHEL_ANSWER_TOKENS: value } }), {
        reason: 'config_invalid',
        message: /SATCHEL_ANSWER_TOKENS/,
      })
    await assert.rejects(decided(t, { env: { SATCHEL_ANSWER_CHANNEL: 'none' } }), {
      reason: 'config_invalid',
      message: /SATCHEL_ANSWER_CHANNEL/,
    })
    await assert.rejects(decided(t, { file: 'tools:\n  answer_tokens: 1\n' }), {
      reason: 'config_invalid',
      message: /satchel\.yaml:2/,
    })
  })
})
