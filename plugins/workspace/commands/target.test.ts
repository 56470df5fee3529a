import assert from 'node:assert/strict'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sessionFolder } from './target.ts'

test('a session is stored below a home, never in the folder where the verb runs', () => {
  const below = (base: string) => join(base, 'satchel', 'sessions')

  assert.equal(sessionFolder({ env: {} }), below(join(homedir(), '.config')))
  assert.equal(sessionFolder({ env: { HOME: '' } }), below(join(homedir(), '.config')))
  assert.equal(sessionFolder({ env: { HOME: '/home/ann' } }), below('/home/ann/.config'))
  assert.equal(sessionFolder({ env: { HOME: '/home/ann', XDG_CONFIG_HOME: '/etc/ann' } }), below('/etc/ann'))
  assert.equal(
    sessionFolder({ env: { HOME: '/home/ann', XDG_CONFIG_HOME: '.' } }),
    below('/home/ann/.config'),
  )
})
