import assert from 'node:assert/strict'
import { test } from 'node:test'
import { installation } from './database.ts'

test('the missing client is to be installed where satchel is, with the command for that place', () => {
  assert.deepEqual(installation('/usr/lib/node_modules/satchel'), {
    folder: '/usr/lib/node_modules',
    global: '--global ',
  })
  assert.deepEqual(installation('/home/ada/shop/node_modules/satchel'), {
    folder: '/home/ada/shop/node_modules',
    global: '',
  })
  assert.deepEqual(installation('/home/ada/satchel'), {
    folder: '/home/ada/satchel/node_modules',
    global: '',
  })
})
