import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commitFiles, git, newRepository, type Stage } from './stage.ts'

const NETWORK = `variable "cidr" {
  type        = string
  description = "Address range of the network"
}

variable "enable_nat" {
  type        = bool
  default     = true
  description = "Whether private subnets reach the internet through a NAT gateway"
}

resource "aws_vpc" "this" {
  cidr_block = var.cidr
}

resource "aws_nat_gateway" "this" {
  count = var.enable_nat ? 1 : 0
}

output "vpc_id" {
  value = aws_vpc.this.id
}
`
const QUEUE = `variable "name" {
  type = string
}

resource "aws_sqs_queue" "this" {
  name = var.name
}
`

interface Hit {
  readonly id: string
  readonly metadata: { readonly repository: string; readonly ref: string }
  readonly other_refs?: readonly string[]
}

/** Git repositories with tags become summaries; a question in plain words finds the module and how to call it. */
export async function showModules(stage: Stage): Promise<void> {
  stage.say('4. Modules: which one gives me a private network with NAT, and how do I call it?')
  const network = newRepository(join(stage.folder, 'terraform-aws-network'), {
    'main.tf': NETWORK.replace('variable "enable_nat"', 'variable "nat"').replace(
      'var.enable_nat',
      'var.nat',
    ),
    'README.md': '# Network\n\nA private network with subnets and a NAT gateway.\n',
  })
  git(network, ['tag', 'v1.0.0'])
  commitFiles(network, { 'main.tf': NETWORK })
  git(network, ['tag', 'v2.0.0'])
  const queue = newRepository(join(stage.folder, 'terraform-aws-queue'), {
    'main.tf': QUEUE,
    'README.md': '# Queue\n\nA message queue with a dead letter queue.\n',
  })
  git(queue, ['tag', 'v0.3.0'])
  const config = join(stage.folder, 'modules.yaml')
  writeFileSync(config, configText(stage, [network, queue]))

  await stage.step('ingest reads every tag without a checkout', async () => {
    const { code, document } = stage.run(['ingest', config], { config })
    assert.equal(code, 0, JSON.stringify(document))
    stage.say(
      `   ${String(document['modules'])} module versions, failures: ${JSON.stringify(document['failures'])}`,
    )
  })
  const hit = await stage.step('search finds it in other words', async () => {
    const { document } = stage.run(
      ['search', 'servers without public addresses need outbound internet access'],
      { config },
    )
    const [first] = document['results'] as Hit[]
    assert.match(first?.metadata.repository ?? '', /terraform-aws-network/)
    stage.say(`   terraform-aws-network@${first?.metadata.ref}, also ${JSON.stringify(first?.other_refs)}`)
    return first
  })
  await stage.step('usage writes the call', async () => {
    const { document } = stage.run(['modules', 'usage', hit?.id ?? ''], { config })
    const block = Object.values(document).find(
      (value) => typeof value === 'string' && value.includes('module "'),
    )
    for (const line of String(block).trim().split('\n')) stage.say(`   | ${line}`)
  })
  await stage.step('diff tells what an upgrade breaks', async () => {
    const { document } = stage.run(['modules', 'diff', hit?.id ?? '', 'v1.0.0', 'v2.0.0'], { config })
    stage.say(`   v1.0.0 -> v2.0.0: ${JSON.stringify(document['verdict'])}`)
    assert.equal(document['verdict'], 'breaking')
  })
}

/** A configuration that ingests every tag of these repositories into the folder of the stage. */
export function configText(stage: Stage, repositories: readonly string[]): string {
  return [
    'repositories:',
    ...repositories.map((url) => `  - { url: ${JSON.stringify(url)}, max_tags: 0 }`),
    `output_dir: ${JSON.stringify(join(stage.folder, 'summaries'))}`,
    `clone_dir: ${JSON.stringify(join(stage.folder, 'clones'))}`,
    `embedding: { enabled: true, vectordb_path: ${JSON.stringify(join(stage.folder, 'vectors'))} }`,
    '',
  ].join('\n')
}
