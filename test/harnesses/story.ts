import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commit, satchel } from './project.ts'
import type { ScriptedCall } from './stub-model.ts'

/** A call of the story, and what its result must tell the model. */
export interface StoryCall extends ScriptedCall {
  readonly says: readonly RegExp[]
}

/** One run of a harness. */
export interface StorySession {
  readonly name: string
  /** What follows `satchel mcp`. */
  readonly flags: readonly string[]
  /** What happens in the project before it. */
  before?(): Promise<void>
  readonly calls: readonly StoryCall[]
}

const [OLD, NEW, NEXT] = ['v5.0.0', 'v6.0.0', 'v7.0.0'] as const
const FLAGS = ['--profile', 'full', '--room', 'plan.md']
const MODULE_ID = /\b[0-9a-f]{64}\b/
const TASK = {
  title: 'Write the call',
  objective: 'A call of version 6 that fits.',
  requires: ['module_check', 'fresh'],
}
const REASON = 'version 6 has no such input'
const LEFT = /left_record\W+[0-9a-f]{8}-/
const RECORD_ID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/

/** What a model of one session read that it uses in a later call: the first match in the results so far, newest first. */
function read(results: readonly string[], pattern: RegExp): string {
  for (const result of results.toReversed()) {
    const found = pattern.exec(result)
    if (found) return found[1] ?? found[0]
  }
  return `nothing like ${pattern.source} reached the model`
}

/**
 * The upgrade of a module in a small root module, from the search to a later session, as sessions of one harness: the owner of
 * a room, an agent, and a session that comes later. Every id in a call was read in an earlier result of its session.
 */
export async function buildStory(folder: string): Promise<readonly StorySession[]> {
  const vpc = join(folder, 'vpc')
  const release = async (input: string, tag: string): Promise<void> => {
    await mkdir(vpc, { recursive: true })
    await writeFile(join(vpc, 'README.md'), '# VPC\n\nA virtual private cloud with an address range.\n')
    await writeFile(join(vpc, 'main.tf'), moduleText(input))
    await commit(vpc, [tag])
  }
  await release('cidr', OLD)
  await release('cidr_block', NEW)
  const call = (ref: string, input: string) =>
    `module "vpc" {\n  source = "git::file://${vpc}?ref=${ref}"\n  ${input} = "10.0.0.0/16"\n}\n`
  await writeFile(join(folder, 'main.tf'), call(OLD, 'cidr'))
  await writeFile(join(folder, 'plan.md'), '# Plan\n\n## Network\n\nWrite the call.\n')
  await writeFile(
    join(folder, 'satchel.yaml'),
    JSON.stringify({ repositories: [{ url: './vpc', max_tags: 0 }] }),
  )
  await writeFile(join(folder, '.gitignore'), 'vpc/\noutput/\nrepos/\n.home/\n.plan.md.satchel/\n')
  await commit(folder, [])
  await satchel(folder, ['ingest'])

  const proposed = (input: string) => `## Network\n\n\`\`\`hcl\n${call(NEW, input)}\`\`\`\n`
  const owner = { flags: [...FLAGS, '--as', 'owner'] }
  const other = { flags: FLAGS }
  const root = await readFile(join(folder, 'main.tf'), 'utf8')
  return [
    { name: 'the owner hands the upgrade over', ...owner, calls: handOver(root) },
    {
      name: 'an agent keeps the old input',
      ...other,
      calls: [
        ...accept(),
        ...handIn(
          'Write the call of version 6, keep the input cidr',
          proposed('cidr'),
          /contradicted/,
          /cidr_block/,
        ),
      ],
    },
    { name: 'the owner cannot approve that and rejects it', ...owner, calls: rejected() },
    {
      name: 'an agent is warned of it and corrects it',
      ...other,
      calls: [
        warned(),
        ...accept(),
        ...handIn('Write the call of version 6 with cidr_block', proposed('cidr_block'), /holds/),
      ],
    },
    { name: 'the owner approves it', ...owner, calls: approved() },
    { name: 'a later session resumes what was left', ...other, calls: [resumedWith(/gate\W+go\b/)] },
    {
      name: 'the module has a new version',
      ...other,
      before: async () => {
        await release('range', NEXT)
        await satchel(folder, ['ingest'])
      },
      calls: [resumedWith(/gate\W+care\b/, /v7\.0\.0 is out/)],
    },
  ]
}

function moduleText(input: string): string {
  return `variable "${input}" {\n  type        = string\n  description = "Address range of the network"\n}\n\nresource "aws_vpc" "this" {\n  cidr_block = var.${input}\n}\n`
}

function handOver(hcl: string): readonly StoryCall[] {
  const created = (results: readonly string[]) => read(results, RECORD_ID)
  return [
    {
      tool: 'search_modules',
      args: { query: 'virtual private cloud' },
      says: [/v6\.0\.0/, MODULE_ID],
    },
    {
      tool: 'module_diff',
      args: { repository: 'vpc', from: OLD, to: NEW },
      says: [/breaking/, /cidr_block/],
    },
    { tool: 'module_upgrade', args: { hcl, to: NEW }, says: [/cidr_block/] },
    {
      tool: 'handoff_create',
      args: (results) => ({
        title: 'Upgrade the network',
        objective: 'Call version 6 of the network module.',
        current_state: 'The differences are known.',
        scope: ['infra/**'],
        evidence: [{ type: 'observation', module: read(results, MODULE_ID) }],
        open_items: [
          { priority: 'high', description: 'Write the call', suggested_action: 'Propose it in the room' },
        ],
      }),
      says: [RECORD_ID],
    },
    {
      tool: 'handoff_transition',
      args: (results) => ({ id: created(results), to: 'validated' }),
      says: [/validated/],
    },
    {
      tool: 'handoff_transition',
      args: (results) => ({ id: created(results), to: 'ready', accept_warnings: 'a measurement' }),
      says: [/ready/],
    },
    {
      tool: 'workspace_handoff_create',
      args: (results) => ({ ...TASK, record_id: created(results) }),
      says: [HANDOFF_ID],
    },
  ]
}

const HANDOFF_ID = /handoff_id\W+(\w+)/
const PROPOSAL_ID = /proposal_id\W+(\w+)/
const VERSION = /version\W+(\d+)/
const handoff = (results: readonly string[]) => ({ handoff_id: read(results, HANDOFF_ID) })

function accept(): readonly StoryCall[] {
  return [
    { tool: 'workspace_handoff_list', args: { status: 'created' }, says: [HANDOFF_ID, /Write the call/] },
    { tool: 'workspace_handoff_accept', args: handoff, says: [/Upgrade the network/, /gate\W+go\b/] },
  ]
}

function handIn(said: string, content: string, ...checked: readonly RegExp[]): readonly StoryCall[] {
  return [
    { tool: 'workspace_read', args: {}, says: [VERSION, /Write the call/] },
    {
      tool: 'workspace_propose',
      args: (results) => ({
        base_version: Number(read(results.slice(-1), VERSION)),
        summary: 'Write the call of version 6',
        target: 'section:Plan/Network',
        content,
      }),
      says: [PROPOSAL_ID],
    },
    {
      tool: 'workspace_handoff_result',
      args: (results) => ({
        ...handoff(results),
        summary: said,
        proposal_id: read(results, PROPOSAL_ID),
      }),
      says: [/module_check/, ...checked],
    },
  ]
}

function rejected(): readonly StoryCall[] {
  return [
    waiting(),
    {
      tool: 'workspace_handoff_review',
      args: (results) => ({ ...handoff(results), approve: true }),
      says: [/requirements_unmet|does not meet what its handoff requires/, /module_check/, /cidr_block/],
    },
    {
      tool: 'workspace_handoff_review',
      args: (results) => ({ ...handoff(results), approve: false, reason: REASON }),
      says: [/rejected/, LEFT],
    },
    {
      tool: 'workspace_handoff_create',
      args: (results) => ({ ...TASK, record_id: read(results.slice(0, 1), RECORD_ID) }),
      says: [HANDOFF_ID],
    },
  ]
}

/** The handoff that waits for a review. */
function waiting(): StoryCall {
  return { tool: 'workspace_handoff_list', args: { status: 'result_ready' }, says: [HANDOFF_ID, RECORD_ID] }
}

function warned(): StoryCall {
  const plan = 'Write the call of version 6 and keep the input cidr of version 5'
  return { tool: 'handoff_check_plan', args: { plan }, says: [/repeat|similar|near/, new RegExp(REASON)] }
}

function approved(): readonly StoryCall[] {
  return [
    waiting(),
    {
      tool: 'workspace_review',
      args: (results) => ({ proposal_id: read(results, PROPOSAL_ID), approve: true }),
      says: [/approved/],
    },
    {
      tool: 'workspace_handoff_review',
      args: (results) => ({ ...handoff(results), approve: true, commit: true }),
      says: [/approved/, LEFT],
    },
  ]
}

function resumedWith(...says: readonly RegExp[]): StoryCall {
  return {
    tool: 'handoff_resume',
    args: { mark: false },
    says: [/Upgrade the network|Write the call/, ...says],
  }
}

/** What a session must have told its model and did not. */
export function untold({ calls }: StorySession, results: readonly (string | undefined)[]): readonly string[] {
  return calls.flatMap(({ tool, says }, at) =>
    says.filter((each) => !each.test(results[at] ?? '')).map((each) => `${tool}: ${each.source}`),
  )
}
