import assert from 'node:assert/strict'
import { test } from 'node:test'
import { playReplicaFaults } from './testing/faults.ts'

test('a database that acknowledges a commit before it is on disk is found by its kills', async (t) => {
  const story = await playReplicaFaults(t, {
    faults: 6,
    kinds: ['the database is killed'],
    names: ['one'],
    prepare(server) {
      for (const set of ["synchronous_commit = 'off'", "wal_writer_delay = '10s'"])
        server.sql(`alter system set ${set}`)
      server.sql('select pg_reload_conf()')
    },
  })
  if (!story) return

  assert.notDeepEqual(story.findings, [])
})
