import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearInput } from './near-input.ts'

test('an input that turns something on is found under both ways to name it', () => {
  const names = ['enable_calico', 'calico_apiserver_enabled', 'cluster_enabled']

  assert.equal(nearInput('calico_enabled', names), 'enable_calico')
  assert.equal(nearInput('enable_cluster', names), 'cluster_enabled')
  assert.equal(nearInput('calico_disabled', ['enable_calico']), undefined)
})
