import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ERROR_CODES } from '../../server/contract/errors.ts'
import { REASONS } from './reasons.ts'

const PLUGIN = fileURLToPath(new URL('.', import.meta.url))
const SHARED: ReadonlySet<string> = new Set(['invalid_arguments'])

/** Reasons as the sources write them: the word behind the code of an error. */
function thrownReasons(): string[] {
  const files = readdirSync(PLUGIN, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  return files.flatMap((name) =>
    [
      ...readFileSync(join(PLUGIN, name), 'utf8').matchAll(/SatchelError\(\s*'[a-z_]+',\s*'([a-z0-9_]+)'/g),
    ].map(([, reason = '']) => reason),
  )
}

test('every reason this plugin throws is in the list that the docs are made from, and each stands under a code', () => {
  const unknown = thrownReasons().filter((reason) => !Object.hasOwn(REASONS, reason) && !SHARED.has(reason))

  assert.deepEqual([...new Set(unknown)], [])
  assert.ok(thrownReasons().length > 30)
  for (const [code] of Object.values(REASONS)) assert.ok(ERROR_CODES.includes(code), code)
})

test('the hook configurations in the docs are JSON that names hooks there are', () => {
  const docs = readFileSync(fileURLToPath(new URL('../../docs/handoffs.md', import.meta.url)), 'utf8')
  const blocks = [...docs.matchAll(/```json\n(.*?)```/gs)].map(([, json = '']) => JSON.parse(json))

  assert.equal(blocks.length, 2)
  const commands = JSON.stringify(blocks).match(/satchel handoff hook [a-z-]+/g) ?? []
  assert.deepEqual([...new Set(commands)].sort(), [
    'satchel handoff hook pre-compact',
    'satchel handoff hook session-end',
    'satchel handoff hook session-start',
    'satchel handoff hook stop',
  ])
})
