import { test } from 'node:test'
import { failAtEveryStep, WRITES } from '../testing/failing-disk.ts'

for (const write of WRITES) {
  test(`ENOSPC at any step of ${write.name} leaves old or new records and nothing torn`, (t) =>
    failAtEveryStep(t, write, 'ENOSPC'))
}
