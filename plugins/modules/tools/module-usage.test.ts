import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openHost, temporaryFolder } from '../../../test/harness/index.ts'
import { plugin } from '../index.ts'
import { buildRemote } from '../testing/build-remote.ts'

const MODULE = `variable "name" {
  type = string
}
variable "engine" {
  type = string
}
variable "password" {
  type      = string
  sensitive = true
  default   = null
}
variable "create" {
  type    = bool
  default = true
}
variable "create_db" {
  type    = bool
  default = true
}
variable "tags" {
  type    = map(string)
  default = {}
}
output "endpoint" { value = "x" }
output "arn" { value = "y" }
`

const COMPLETE = `locals {
  tags = { of = "example" }
}

module "complete" {
  source  = "../../"
  name    = "complete"
  engine  = "postgres"
  tags    = merge(local.tags, { for key, value in var.more_tags : key => value.text })
}
`

// What the smallest call that can be copied looks like; the others are smaller and cannot be.
const SIMPLE = `module "disabled" {
  source = "../.."
  create = false
  name   = ""
  engine = ""
}

module "wrong" {
  source = "../.."
  name   = "x"
}

module "each" {
  source   = "../.."
  for_each = toset(["a"])
  name     = each.key
  engine   = "e"
}

module "db" {
  source = "../.."

  name     = local.name
  engine   = data.aws_rds_engine.this.id
  password = "not-a-secret"
}

module "peer" {
  source = "../../modules/peer"
  of     = module.db.arn
}

module "off" {
  source    = "../.."
  create_db = false
  name      = ""
  engine    = ""
}
`

const READS = `output "where" { value = module.db.endpoint }\n`

/** A module with examples; the values of `settings` are those of the configuration. */
async function openProject(t: TestContext) {
  const root = await temporaryFolder(t)
  const url = await buildRemote(join(root, 'terraform-aws-db.git'), [
    {
      files: {
        'main.tf': MODULE,
        'modules/peer/main.tf': 'variable "of" {}\n',
        'examples/complete/main.tf': COMPLETE,
        'examples/simple/main.tf': SIMPLE,
        'examples/simple/outputs.tf': READS,
        'wrappers/main.tf': 'module "w" {\n  source = "../"\n  name = 1\n  engine = 2\n}\n',
      },
      tags: ['v1.2.0'],
    },
  ])
  const opened = await openHost(t, {
    plugins: [{ plugin, settings: { repositories: [{ url, recursive: true }] } }],
    projectRoot: root,
    env: { PATH: process.env['PATH'] },
  })
  const report = await opened.call('ingest_modules', {})
  assert.deepEqual(report['failures'], [])
  return { opened, root, url }
}

test('beside the generated block is the smallest real call, pinned, with what it needs and what is read of it', async (t) => {
  const { opened, url } = await openProject(t)

  const usage = await opened.call('module_usage', { repository: 'terraform-aws-db' })
  const peer = await opened.call('module_usage', { repository: 'terraform-aws-db', path: 'modules/peer' })

  assert.deepEqual(usage['required'], ['name', 'engine'])
  assert.deepEqual(usage['outputs'], ['endpoint', 'arn'])
  assert.deepEqual(usage['example'], {
    file: 'examples/simple/main.tf',
    line: 20,
    hcl: `module "db" {
  source = "git::${url}?ref=v1.2.0"

  name     = local.name
  engine   = data.aws_rds_engine.this.id
  password = var.password
}
`,
    inputs: ['name', 'engine', 'password'],
    refers_to: ['local.name', 'data.aws_rds_engine.this', 'var.password'],
    outputs: ['arn', 'endpoint'],
  })
  assert.deepEqual(peer['example'], {
    file: 'examples/simple/main.tf',
    line: 28,
    hcl: `module "peer" {\n  source = "git::${url}//modules/peer?ref=v1.2.0"\n  of     = module.db.arn\n}\n`,
    inputs: ['of'],
    refers_to: ['module.db.arn'],
    outputs: [],
  })
  for (const { example } of [usage, peer]) {
    const { hcl } = example as { hcl: string }
    const { findings } = await opened.call('module_check', { hcl })
    assert.equal(findings, 0, hcl)
  }
})

test('without a clone, or with no call that can be copied, there is the generated block alone', async (t) => {
  const { opened, root } = await openProject(t)
  const asked = { repository: 'terraform-aws-db' }

  const example = await opened.call('module_usage', { ...asked, path: 'examples/simple' })
  await rm(join(root, 'repos'), { recursive: true })
  const removed = await opened.call('module_usage', asked)

  for (const usage of [example, removed]) {
    assert.ok(!('example' in usage))
    assert.match(String(usage['hcl']), /^module "/)
  }
})

test('a call that was found at a commit is given again without another look into the clone', async (t) => {
  const { opened, root } = await openProject(t)
  const asked = { repository: 'terraform-aws-db' }

  const first = await opened.call('module_usage', asked)
  await rm(join(root, 'repos'), { recursive: true })
  const second = await opened.call('module_usage', asked)

  assert.ok('example' in first)
  assert.deepEqual(second, first)
})
