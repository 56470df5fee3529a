import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHost } from '../../../test/harness/index.ts'
import { plugin } from '../index.ts'
import { ingested } from '../testing/network-project.ts'

test('a block is checked against the version it names, and the diff of two versions has a verdict', async (t) => {
  const { opened, network } = await ingested(t)
  const hcl = `module "n" {\n  source = "git::${network}?ref=v2.0.0"\n  cidr   = "10.0.0.0/16"\n  enable_nt = true\n}\n`

  const checked = await opened.call('module_check', { hcl })
  const diff = await opened.call('module_diff', { repository: 'terraform-aws-network', from: 'v1.0.0' })
  const usage = await opened.call('module_usage', { repository: 'terraform-aws-network', ref: 'v1.0.0' })
  const again = await opened.call('module_check', { hcl: usage['hcl'] })

  const [block] = checked['blocks'] as { findings: { code: string; line: number; message: string }[] }[]
  assert.deepEqual(block?.findings.map(({ code, line }) => `${code} ${line}`).sort(), [
    'missing_input 1',
    'unknown_input 4',
  ])
  assert.match(JSON.stringify(block), /enable_nat/)
  assert.equal(diff['verdict'], 'breaking')
  assert.equal(diff['to'], 'v2.0.0')
  assert.equal(again['findings'], 0)
})

test('a block is never checked against another version than it names, and a commit names one', async (t) => {
  const { opened, network } = await ingested(t)
  const call = (ref: string) => `module "n" {\n  source = "git::${network}?ref=${ref}"\n  nonsense = 1\n}\n`
  const listed = await opened.call('list_module_versions', { repository: 'terraform-aws-network' })
  const [version] = listed['versions'] as { ref: string; commit: string }[]

  const unknown = await opened.call('module_check', { hcl: call('v9.9.9') })
  const pinned = await opened.call('module_check', { hcl: call(version?.commit ?? '') })
  const plus = await opened.call('module_check', { hcl: call('v1.0.0+build.1') })
  const encoded = await opened.call('module_check', { hcl: call('v1.0.0%2Bbuild.1') })

  const codesOf = (checked: Record<string, unknown>) =>
    (checked['blocks'] as { findings: { code: string }[]; module?: { ref: string } }[]).map(
      ({ findings, module }) => [module?.ref, ...findings.map(({ code }) => code)],
    )
  assert.deepEqual(codesOf(unknown), [[undefined, 'unknown_ref']])
  assert.match(
    JSON.stringify(plus),
    /v1\.0\.0 build\.1 is not .*Terraform reads a \+ there as a blank; write it as %2B\./,
  )
  assert.match(JSON.stringify(encoded), /v1\.0\.0\+build\.1 is not an indexed version/)
  assert.equal(codesOf(pinned)[0]?.[0], version?.ref)
  assert.ok(codesOf(pinned)[0]?.includes('unknown_input'))
})

test('where nothing was ingested a text is checked as far as it goes', async (t) => {
  const opened = await openHost(t, { plugins: [{ plugin, settings: { mcp: { auto_ingest: false } } }] })
  const block = 'module "n" {\n  source = "git::https://git.example.com/acme/net?ref=v1.0.0"\n}\n'

  const { blocks } = (await opened.call('module_check', { hcl: block + block })) as {
    blocks: { findings: { code: string }[] }[]
  }

  assert.deepEqual(
    blocks.map(({ findings }) => findings.map(({ code }) => code)),
    [['module_not_indexed'], ['duplicate_name', 'module_not_indexed']],
  )
})
