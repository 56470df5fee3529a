import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOverrideFile, moduleFlavour, tofuTwin } from './module-files.ts'

test('only Terraform and OpenTofu configuration counts as a module file', () => {
  const flavours = {
    'main.tf': 'hcl',
    'main.tofu': 'hcl',
    'main.tf.json': 'json',
    'main.tofu.json': 'json',
    'x.tfvars': undefined,
    'x.auto.tfvars.json': undefined,
    'a.tftest.hcl': undefined,
    'a.tofutest.hcl': undefined,
    'terragrunt.hcl': undefined,
    '.hidden.tf': undefined,
    '.tf': undefined,
    'main.tf~': undefined,
    '#main.tf#': undefined,
    '#main.tf': undefined,
    'main.TF': undefined,
  }

  for (const [name, flavour] of Object.entries(flavours)) assert.equal(moduleFlavour(name), flavour, name)
})

test('override files are recognised in every flavour, look-alikes are not', () => {
  for (const name of ['override.tf', 'x_override.tf', 'override.tofu', 'a_override.tf.json']) {
    assert.equal(isOverrideFile(name), true, name)
  }
  for (const name of ['overrides.tf', 'xoverride.tf', 'override.tfvars', 'override_x.tf']) {
    assert.equal(isOverrideFile(name), false, name)
  }
})

test('a .tf file names the .tofu file that would replace it', () => {
  assert.equal(tofuTwin('main.tf'), 'main.tofu')
  assert.equal(tofuTwin('main.tf.json'), 'main.tofu.json')
  assert.equal(tofuTwin('main.tofu'), undefined)
})
