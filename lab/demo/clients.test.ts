import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLIENTS } from './clients.ts'

test('the demo tells each client to start the command that the package installs', () => {
  const commands = [...CLIENTS.matchAll(/command"?\s*[=:]\s*\[?"([\w-]+)/g)].map(([, command]) => command)

  assert.deepEqual([...new Set(commands)], ['satchel'])
  assert.doesNotMatch(CLIENTS, /npx/)
  for (const name of ['Claude Code', 'Codex', 'Cursor', 'Gemini CLI', 'VS Code']) {
    assert.ok(CLIENTS.includes(name), name)
  }
})
