import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { requireScope } from './scopes.ts'

const CASES: readonly (readonly [
  scopes: readonly string[],
  plugin: string | undefined,
  level: 'read' | 'write' | 'admin',
  allowed: boolean,
])[] = [
  [['read'], 'modules', 'read', true],
  [['read'], undefined, 'read', true],
  [['read'], 'modules', 'write', false],
  [['write'], 'modules', 'read', true],
  [['write'], 'modules', 'admin', false],
  [['admin'], 'handoff', 'admin', true],
  [['modules:read'], 'modules', 'read', true],
  [['modules:read'], 'handoff', 'read', false],
  [['modules:read'], undefined, 'read', false],
  [['modules:write'], 'modules', 'read', true],
  [['modules:admin'], 'modules', 'admin', true],
  [['modules:admin'], 'handoff', 'read', false],
  [['modules:read', 'handoff:write'], 'handoff', 'write', true],
  [['modules:read', 'handoff:write'], 'modules', 'write', false],
  [['@acme/satchel-jira:read'], '@acme/satchel-jira', 'read', true],
  [[], 'modules', 'read', false],
  [['READ', 'reader', ' read', 'read ', 'modules:', ':read', 'modules:read:write'], 'modules', 'read', false],
]

describe('a scope', () => {
  for (const [scopes, plugin, level, allowed] of CASES) {
    it(`${JSON.stringify(scopes)} ${allowed ? 'allows' : 'refuses'} ${plugin ?? 'the server'} ${level}`, () => {
      const scope = plugin === undefined ? level : `${plugin}:${level}`
      const ask = () => requireScope({ scopes }, plugin, level)

      if (allowed) assert.doesNotThrow(ask)
      else assert.throws(ask, { code: 'forbidden', reason: 'scope_missing', details: { scope } })
    })
  }

  it('limits only callers that have scopes', () => {
    assert.doesNotThrow(() => requireScope({}, 'modules', 'admin'))
  })
})
