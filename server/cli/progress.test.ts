import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openProgress } from './progress.ts'

test('off a terminal a line is written when the count changes, and else at most every 10 s', () => {
  const lines: string[] = []
  const terminal = { quiet: false, stderrIsTty: false, note: (line: string) => void lines.push(line) }
  let ms = 0
  const progress = openProgress(terminal, () => new Date(ms))

  progress.update(0, 2, '2 repositories')
  for (let ref = 1; ref <= 200; ref++) {
    ms += 99
    progress.update(0.3 + ref / 1000, 2, `net: reading ${ref} of 200 refs`)
  }
  progress.update(0.9999999999, 2, 'net: done')
  progress.update(1.5, 2, 'vpc: reading')
  progress.update(2, 2, 'vpc: done')
  progress.update(2)
  progress.stop()

  assert.deepEqual(lines, [
    '2 repositories (0/2)',
    'net: reading 102 of 200 refs (0/2)',
    'net: done (1/2)',
    'vpc: done (2/2)',
  ])
})
