import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusals } from './reasons.ts'

const CORE = ['workspace_status', 'workspace_read', 'workspace_propose', 'workspace_changes']

test('the sentence of a refusal names tools only that every session has', () => {
  for (const { row } of Object.values(refusals)) {
    const { message, next = '' } = row as { message: string; next?: string }
    const named = `${message} ${next}`.match(/workspace_[a-z_]+/g) ?? []

    assert.deepEqual(
      named.filter((tool) => !CORE.includes(tool)),
      [],
      message,
    )
  }
})
