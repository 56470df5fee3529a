import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasEnded, type NotedSession } from './sessions.ts'

const AT = '2026-11-21T10:00:00.000Z'
const AT_MS = Date.parse(AT)
const mark = { pid: 1, start: 'then' }
const noted: NotedSession = { session: 's', at: AT, ancestors: [mark], shown: false }
const HOUR = 3_600_000

for (const [what, session, { minutes, lives }, wanted] of [
  ['its harness said so', { ...noted, ended: AT }, { minutes: 0, lives: true }, true],
  ['its processes have ended', noted, { minutes: 0, lives: false }, true],
  ['it was heard of lately', noted, { minutes: 59, lives: true }, false],
  ['nothing was heard of it', noted, { minutes: 61, lives: true }, true],
  ['no hook noted it and it wrote lately', undefined, { minutes: 59, lives: false }, false],
  ['no hook noted it and it wrote long ago', undefined, { minutes: 61, lives: false }, true],
] as const) {
  test(`a session ${wanted ? 'has' : 'has not'} ended: ${what}`, () => {
    const moment = { lastMs: AT_MS, nowMs: AT_MS + minutes * 60_000, quietMs: HOUR }

    assert.equal(
      hasEnded(session, moment, () => lives),
      wanted,
    )
  })
}
