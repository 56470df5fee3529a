import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runSatchel } from '../satchel-process.ts'
import { PLANTED_RECORD } from './planted-record.ts'

const run = promisify(execFile)

/** Number of submodules of the catalogue; with its root module they are more than one page of ten results. */
const SUBMODULES = 11
const NETWORK_INPUTS = [
  'cidr_block',
  'zone_names',
  'owner_team',
  'flow_log_bucket',
  'peering_accounts',
  'dns_suffix',
]
const NETWORK_OUTPUTS = [
  'network_id',
  'private_subnet_ids',
  'public_subnet_ids',
  'route_table_ids',
  'nat_addresses',
]
/** Bytes of the room's document, about. */
const DOCUMENT_BYTES = 4096

export const QUERY = 'private network with subnets'

/** What the probes must know of a project that was built. */
export interface BuiltProject {
  readonly folder: string
  /** Ids of the ten best results of the query, as the command line prints them. */
  readonly found: readonly string[]
}

/** What follows `satchel mcp` in the project: the tools of every probe, and the room. */
export const SERVER_FLAGS = ['--profile', 'standard', '--room', 'plan.md'] as const

/** What the project holds that a model must be able to learn. */
export const PLANTED = {
  requiredInputs: NETWORK_INPUTS,
  outputs: NETWORK_OUTPUTS,
  lastLine: 'The last line of the plan: fact-plan-lastline.',
} as const

/**
 * Builds a project with the commands of satchel: a configuration, twelve ingested modules, a released
 * handoff record, and the document of a room.
 */
export async function buildProject(folder: string): Promise<BuiltProject> {
  await mkdir(join(folder, 'catalog'), { recursive: true })
  await writeCatalog(join(folder, 'catalog'))
  await commit(join(folder, 'catalog'), ['v1.0.0'])

  await satchel(folder, ['init', 'sample.yaml'])
  const config = {
    repositories: [{ url: './catalog', recursive: true }],
    embedding: { enabled: true },
    handoff: { inject_on: ['startup', 'resume', 'compact'] },
  }
  await writeFile(join(folder, 'satchel.yaml'), JSON.stringify(config))
  await writeFile(join(folder, '.gitignore'), 'catalog/\noutput/\nrepos/\n.home/\n.plan.md.satchel/\n')
  await writeFile(join(folder, 'plan.md'), document())
  await writeFile(join(folder, 'callback.ts'), 'export const callback = 1\n')
  await commit(folder, [])

  await satchel(folder, ['ingest'])
  await writeFile(join(folder, 'record.json'), JSON.stringify(PLANTED_RECORD))
  const created = await satchel(folder, ['handoff', 'create', '--input', 'record.json', '--json'])
  const { id } = JSON.parse(created) as { id: string }
  for (const status of ['validated', 'ready']) await satchel(folder, ['handoff', 'set-status', id, status])

  const searched = await satchel(folder, ['search', QUERY, '--limit', '10', '--json'])
  const { results } = JSON.parse(searched) as { results: readonly { id: string }[] }
  return { folder, found: results.map((result) => result.id) }
}

/** Runs a command of satchel in the folder and returns what it printed. Errors: it exits with another code than 0. */
export async function satchel(folder: string, args: readonly string[]): Promise<string> {
  const { code, out, err } = await runSatchel(folder, args)
  if (code !== 0) throw new Error(`satchel ${args.join(' ')}: ${err}`)
  return out
}

/** Commits everything in a repository of the folder, and tags it. */
export async function commit(folder: string, tags: readonly string[]): Promise<void> {
  const identity = ['-c', 'user.name=lab', '-c', 'user.email=lab@example.com']
  const git = (args: readonly string[]) => run('git', [...args], { cwd: folder })
  await git(['init', '-q', '-b', 'main'])
  await git(['add', '.'])
  await git([...identity, 'commit', '-q', '-m', 'start'])
  for (const tag of tags) await git(['tag', tag])
}

async function writeCatalog(folder: string): Promise<void> {
  const inputs = NETWORK_INPUTS.map((name) => variable(name, `The ${name} of the network.`))
  const optional = ['tags', 'enable_nat', 'log_days'].map((name) => variable(name, 'Optional.', 'null'))
  const outputs = NETWORK_OUTPUTS.map((name) => output(name, `The ${name} that others build on.`))
  await writeModule(folder, 'A private network with subnets in every zone.', [
    ...inputs,
    ...optional,
    ...outputs,
  ])
  for (let at = 1; at <= SUBMODULES; at += 1)
    await writeModule(
      join(folder, 'modules', `subnet-${at}`),
      `Subnets of kind ${at} of a private network.`,
      [
        variable('network_id', 'The network that holds the subnets.'),
        output(`subnet_${at}_ids`, 'The subnets.'),
      ],
    )
}

async function writeModule(folder: string, purpose: string, blocks: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'README.md'), `# Module\n\n${purpose}\n`)
  await writeFile(join(folder, 'main.tf'), `${blocks.join('\n')}\nresource "aws_vpc" "this" {}\n`)
}

function variable(name: string, description: string, value?: string): string {
  const preset = value === undefined ? '' : `  default = ${value}\n`
  return `variable "${name}" {\n  type = string\n  description = "${description}"\n${preset}}\n`
}

function output(name: string, description: string): string {
  return `output "${name}" {\n  value = aws_vpc.this.id\n  description = "${description}"\n}\n`
}

function document(): string {
  const lines = ['# Plan', '']
  for (let at = 1; lines.join('\n').length < DOCUMENT_BYTES; at += 1)
    lines.push(
      `${at}. Step ${at} keeps the state parameter of the callback bound to one session of one user.`,
    )
  return [...lines, '', PLANTED.lastLine, ''].join('\n')
}
