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

test('doctor logs what is behind a failure of a plugin', async (t) => {
  const { root, satchel } = await openProject(t)
  const zod = JSON.stringify(import.meta.resolve('zod'))
  const ran = async (file: string, setup: string) => {
    const plugin = `{ name: 'odd', version: '1', apiVersion: 1, config: z.object({}), setup: async () => { ${setup} } }`
    await writeFile(join(root, file), `import { z } from ${zod}; export default ${plugin}`)
    await writeFile(join(root, 'satchel.yaml'), `plugins: { ./${file}: {} }\n`)
    return satchel(['doctor'])
  }

  const failed = await ran('a.mjs', "throw new Error('no setup')")
  const unwell = await ran('b.mjs', "return { doctor: async () => { throw new Error('no check') } }")

  assert.match(failed.out, /problem +plugins: The plugin "odd" \(.*a\.mjs\) failed in setup\. See the log\./)
  assert.match(failed.err, /"error":"Error: no setup/)
  assert.match(unwell.out, /problem +odd: its own check failed; see the log/)
  assert.match(unwell.err, /"error":"Error: no check/)
})
