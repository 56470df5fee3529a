import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { ancestorProcesses, parentIn } from './process-ancestors.ts'

test('the nearest ancestor is the parent, and what ps lists gives the same processes', () => {
  const [nearest, ...others] = ancestorProcesses(3)
  const listed = parentIn(execFileSync('ps', ['-A', '-o', 'pid=,ppid=,lstart='], { encoding: 'utf8' }))

  assert.equal(nearest?.pid, process.ppid > 1 ? process.ppid : undefined)
  assert.ok(others.length <= 2)
  assert.equal(listed(process.pid)?.pid, nearest?.pid)
})

test('a listing without a process, of other columns or of nothing gives no parent', () => {
  for (const text of ['', 'garbage\n', '  7 1 Mon Nov 23 00:00:00 2026\n', '7 x y\n'])
    assert.equal(parentIn(text)(7), undefined)
  const two = parentIn('  7  5 Mon Nov 23 00:00:01 2026\n  5 1 Mon Nov 23 00:00:00 2026\n')
  assert.deepEqual(two(7), { pid: 5, start: 'Mon Nov 23 00:00:00 2026' })
})
