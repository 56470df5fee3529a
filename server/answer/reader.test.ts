import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CLIENT_FACTS } from '../client-facts.ts'
import { ANSWER_DEFAULTS, ANSWER_TOKENS } from './bounds.ts'
import { readerOf } from './reader.ts'

describe('the reader of an answer', () => {
  test('what clients.json says of each name that clients send, with source and date', () => {
    const channel = (name: string | undefined) => readerOf(name, ANSWER_DEFAULTS).channel

    assert.deepEqual(
      ['claude-code', 'codex-mcp-client', 'gemini-cli-mcp-client', 'opencode', 'continue-cli-client'].map(
        channel,
      ),
      ['data', 'data', 'text', 'text', 'text'],
    )
    assert.equal(channel('qwen-cli-mcp-client-satchel'), 'text')
    for (const { client, answers } of CLIENT_FACTS.filter((each) => each.answers)) {
      assert.ok(['text', 'data', 'both'].includes(answers?.channel ?? ''), client)
      assert.match(answers?.as_of ?? '', /^\d{4}-\d{2}$/)
      assert.ok((answers?.source ?? '').length > 10 && (answers?.client_info.length ?? 0) > 0)
    }
  })

  test('an unknown, absent or similar name gets both', () => {
    for (const name of [undefined, '', 'someone', 'claude-code-2', 'opencode\u0000', '*'])
      assert.equal(readerOf(name, ANSWER_DEFAULTS).channel, undefined)
  })

  test('a setting overrides the name', () => {
    for (const channel of ['text', 'data', 'both'] as const)
      assert.equal(readerOf('claude-code', { answer_channel: channel, answer_tokens: 4000 }).channel, channel)
  })

  test('max_tokens of a call sets the bound, within the limits', () => {
    const bound = (asked: unknown) => readerOf(undefined, ANSWER_DEFAULTS, asked).maxTokens

    assert.deepEqual([undefined, 1200, 0, 1, 1_000_000, Number.NaN, '9'].map(bound), [
      ANSWER_TOKENS.default,
      1200,
      100,
      100,
      ANSWER_TOKENS.max,
      ANSWER_TOKENS.default,
      ANSWER_TOKENS.default,
    ])
  })
})
