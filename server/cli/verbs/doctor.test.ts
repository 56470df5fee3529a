import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openProject } from '../testing/run-cli.ts'

test('doctor reports each plugin and changes nothing; a broken configuration is a finding', async (t) => {
  const { root, satchel } = await openProject(t)

  const fine = await satchel(['doctor', '--json'])
  await writeFile(join(root, 'satchel.yaml'), 'tols: {}\n')
  const broken = await satchel(['doctor', '--json'])

  const subjects = JSON.parse(fine.out).findings.map(({ subject }: { subject: string }) => subject)
  assert.equal(fine.code, 0)
  assert.ok(subjects.includes('probe'))
  assert.equal(broken.code, 3)
  assert.match(JSON.stringify(JSON.parse(broken.out).findings), /Did you mean \\"tools\\"/)
})
