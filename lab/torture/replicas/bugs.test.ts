import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { playReplicaFaults } from './testing/faults.ts'

/** A kill may come where the bug has nothing to lose. */
const STORIES = 4

/** What the first story that finds something finds; undefined where there is no database. */
async function findingsOf(t: TestContext, story: Parameters<typeof playReplicaFaults>[1]) {
  for (let played = 1; ; played++) {
    const findings = (await playReplicaFaults(t, story))?.findings
    if (findings === undefined || findings.length > 0 || played === STORIES) return findings
  }
}

test('a database that acknowledges a commit before it is on disk is found by its kills', async (t) => {
  const findings = await findingsOf(t, {
    faults: 6,
    kinds: ['the database is killed'],
    names: ['one'],
    prepare(server) {
      for (const set of ["synchronous_commit = 'off'", "wal_writer_delay = '10s'"])
        server.sql(`alter system set ${set}`)
      server.sql('select pg_reload_conf()')
    },
  })
  if (findings) assert.notEqual(findings.length, 0)
})

test('a database that forgets the last flush of a room at its next owner is found when the owner is killed', async (t) => {
  const findings = await findingsOf(t, {
    faults: 2,
    kinds: ['the owner of the room is killed'],
    names: ['one', 'two'],
    prepare(server) {
      server.sql(`
        create function forget() returns trigger language plpgsql security definer as $$ begin
          delete from satchel.room_records where room = new.name and flush = old.head and old.head > 1;
          if found then new.head := old.head - 1; end if;
          return new; end $$;
        create trigger forget before update on satchel.rooms for each row
          when (new.generation <> old.generation) execute function forget()`)
    },
  })
  if (findings) assert.notEqual(findings.length, 0)
})

test('a server that reads the events of its room with the cursor of another room is found by the reader', async (t) => {
  const findings = await findingsOf(t, {
    faults: 2,
    kinds: ['a replica is killed'],
    names: ['one', 'two'],
    bug: join(import.meta.dirname, 'testing/foreign-cursor.mjs'),
  })
  if (findings) assert.ok(findings.some((finding) => /^event \d+ was told after event \d+$/.test(finding)))
})
