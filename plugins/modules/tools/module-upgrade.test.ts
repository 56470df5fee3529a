import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { UpgradeAnswer } from '../answers/upgrade.ts'
import { upgradeProject } from '../testing/upgrade-project.ts'

function callOf(url: string, rest: string, ref = 'v1.0.0'): string {
  return `# the cluster\nmodule "k" {\n  source = "git::${url}?ref=${ref}"\n${rest}}\n`
}

const INPUTS = `  cluster_name    = "a" # short
  cluster_version = "1.30"
  legacy          = true
  zones           = var.zones
`
const READS = `output "arn" {\n  value = "arn: \${module.k.cluster_arn}" # module.k.endpoint\n}\n`

test('an upgrade says what breaks for this call, guesses new names and edits the block', async (t) => {
  const { opened, url } = await upgradeProject(t)

  const answer = (await opened.call('module_upgrade', {
    hcl: callOf(url, INPUTS) + READS,
    to: 'v2.0.0',
  })) as UpgradeAnswer

  const [call] = answer.calls
  const said = call?.changes.map(
    ({ class: rank, code, subject, line }) => `${rank} ${code} ${subject} ${line ?? ''}`,
  )
  assert.deepEqual(said?.map((one) => one.trim()).sort(), [
    'breaking input_removed cluster_name 4',
    'breaking input_removed cluster_version 5',
    'breaking input_removed legacy 6',
    'breaking output_removed cluster_arn 10',
    'breaking provider_major_raised aws',
    'breaking required_input_added kubernetes_version',
    'breaking required_input_added name',
    'breaking required_input_added owner',
    'breaking type_changed zones 7',
    'minor default_changed retention',
  ])
  assert.deepEqual(
    call?.renames.map(({ kind, from, to }) => [kind, from, to]),
    [
      ['input', 'cluster_name', 'name'],
      ['input', 'cluster_version', 'kubernetes_version'],
      ['output', 'cluster_arn', 'arn'],
    ],
  )
  assert.match(
    call?.changes.find(({ subject }) => subject === 'cluster_name')?.message ?? '',
    /Perhaps .* name .*guess/,
  )
  assert.equal(
    call?.edited,
    `module "k" {
  source = "git::${url}?ref=v2.0.0"
  # was cluster_name: a guess, the code uses it in the same place
  name    = "a" # short
  # was cluster_version: a guess, the code uses it in the same place
  kubernetes_version = "1.30"
  # not an input of v2.0.0
  # legacy          = true
  zones           = var.zones
  # required by v2.0.0
  owner = "TODO"
}`,
  )
  assert.deepEqual(call?.remaining, [])
  assert.deepEqual(call?.changelog?.versions, ['2.0.0'])
  assert.match(call?.changelog?.text ?? '', /inputs lost their prefix/)
  assert.doesNotMatch(call?.changelog?.text ?? '', /SYSTEM|first/)
})

test('an upgrade without the clone has no changelog, and a call that no change concerns is not called breaking', async (t) => {
  const { opened, url, root } = await upgradeProject(t)
  await rm(join(root, 'repos'), { recursive: true })

  const back = (await opened.call('module_upgrade', {
    hcl: callOf(
      url,
      '  name = "a"\n  kubernetes_version = "1"\n  owner = "o"\n  cluster_name = "a"\n  cluster_version = "1"\n',
      'v2.0.0',
    ),
    to: '1.0.0',
  })) as UpgradeAnswer

  assert.equal(back.calls[0]?.to, 'v1.0.0')
  assert.equal(back.calls[0]?.changelog, undefined)
})

test('every reason not to upgrade is a refusal of its own, and one call of several is left as written', async (t) => {
  const { opened, url } = await upgradeProject(t)
  const upgrade = (hcl: string, to: string) => opened.call('module_upgrade', { hcl, to })
  const one = callOf(url, INPUTS)
  const local = 'module "l" {\n  source = "./x"\n}\n'
  const rows: [hcl: string, to: string, code: string, reason: string][] = [
    ['resource "a" "b" {}\n', 'v2.0.0', 'not_found', 'no_module_calls'],
    [one, 'v9.9.9', 'not_found', 'target_ref_unknown'],
    [one, 'v1.0.0', 'conflict', 'nothing_to_upgrade'],
    [callOf('https://git.example.com/other', ''), 'v2.0.0', 'not_found', 'call_not_indexed'],
    [callOf(url, '', 'v0.1.0'), 'v2.0.0', 'not_found', 'call_ref_unknown'],
    [callOf(`${url}//modules/node`, '  size = 1\n'), 'v2.0.0', 'not_found', 'target_ref_unknown'],
    [local, 'v2.0.0', 'invalid', 'call_is_local'],
    [local + callOf(url, INPUTS), 'v1.0.0', 'conflict', 'nothing_to_upgrade'],
  ]

  for (const [hcl, to, code, reason] of rows) await assert.rejects(upgrade(hcl, to), { code, reason }, reason)
  const mixed = (await upgrade(local + one, 'v2.0.0')) as UpgradeAnswer

  assert.deepEqual(
    mixed.skipped.map(({ name, reason }) => [name, reason]),
    [['l', 'call_is_local']],
  )
  assert.equal(mixed.calls.length, 1)
})

test('a call of a directory that the newer release lacks is told where it is now, also when the latest is asked for', async (t) => {
  const { opened, url } = await upgradeProject(t)
  const hcl = callOf(`${url}//modules/node`, '  size = 1\n')

  for (const to of ['v2.0.0', 'latest']) {
    await assert.rejects(opened.call('module_upgrade', { hcl, to }), {
      code: 'not_found',
      reason: 'target_ref_unknown',
      message: /no module at modules\/node in v2\.0\.0: .* Perhaps it is modules\/worker now \(a guess/,
    })
  }
})
