import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearInput } from './near-input.ts'

test('an input that turns something on is found under both ways to name it', () => {
  const names = ['enable_calico', 'calico_apiserver_enabled', 'cluster_enabled']

  assert.equal(nearInput('calico_enabled', names), 'enable_calico')
  assert.equal(nearInput('enable_cluster', names), 'cluster_enabled')
  assert.equal(nearInput('calico_disabled', ['enable_calico']), undefined)
})

test('a name of which the other has few words is not it', () => {
  assert.equal(nearInput('default_stage_access_log_group_name', ['stage_name']), undefined)
  assert.equal(nearInput('default_stage_tags', ['stage_tags', 'tags']), 'stage_tags')
  assert.equal(nearInput('cluster_name', ['name', 'cluster_tags']), 'name')
})
