import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

/** The built command, in `dist` beside the demo. */
export const SATCHEL = join(dirname(fileURLToPath(import.meta.url)), 'satchel.js')

/** Where the demo runs: its own repository, and a temporary folder for everything that it writes. */
export interface Stage {
  readonly repository: string
  readonly folder: string
  /** A configuration whose stores are all in `folder`. */
  readonly config: string
  say(text?: string): void
  /** Prints one step's line and its `ok`; a step that throws ends the demo. */
  step<T>(title: string, work: () => Promise<T>): Promise<T>
  /** A client connected to a new `satchel mcp`, as a harness starts it. */
  connectStdio(
    name: string,
    options?: { readonly cwd?: string; readonly flags?: readonly string[] },
  ): Promise<Client>
  /** Starts a serving verb and gives its address. */
  serve(...argv: readonly string[]): Promise<string>
  connectHttp(address: string): Promise<Client>
  /** Runs a verb and gives its JSON document. `cwd`: the repository, unless another folder is given. */
  run(argv: readonly string[], options?: RunOptions): Run
  close(): Promise<void>
}

export interface RunOptions {
  readonly input?: string
  /** Absent: the repository. */
  readonly cwd?: string
  /** Absent: the stage's own. */
  readonly config?: string
}

export interface Run {
  readonly code: number
  readonly document: Record<string, unknown>
}

const PROTOCOL = '2026-07-28'
const EXIT_LIMIT_MS = 3000

/** Opens a stage; `close` ends every process and removes the folder. */
export function openStage(): Stage {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-demo-'))
  const repository = git(process.cwd(), ['rev-parse', '--show-toplevel'])
  const config = join(folder, 'satchel.yaml')
  writeFileSync(config, configText(folder))
  const children: ChildProcess[] = []
  const clients: Client[] = []
  const connect = async (client: Client, transport: Parameters<Client['connect']>[0]): Promise<Client> => {
    await client.connect(transport)
    clients.push(client)
    return client
  }
  return {
    repository,
    folder,
    config,
    say,
    async step(title, work) {
      const result = await work()
      say(`   ok: ${title}`)
      return result
    },
    connectStdio: (name, options = {}) =>
      connect(
        newClient(name),
        new StdioClientTransport({
          command: process.execPath,
          args: [SATCHEL, 'mcp', '--config', config, ...(options.flags ?? [])],
          cwd: options.cwd ?? repository,
          stderr: 'ignore',
        }),
      ),
    connectHttp: (address) =>
      connect(newClient('demo-http'), new StreamableHTTPClientTransport(new URL(`${address}/mcp`))),
    async serve(...argv) {
      const child = spawn(process.execPath, [SATCHEL, ...argv, '--port', '0', '--json', '--config', config], {
        cwd: repository,
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      children.push(child)
      return addressFrom(child)
    },
    run: (argv, options = {}) =>
      runVerb([...argv, '--json', '--config', config], { cwd: repository, ...options }),
    async close() {
      await Promise.all(clients.map((client) => client.close()))
      await Promise.all(children.map(end))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function say(text = ''): void {
  process.stdout.write(`${text}\n`)
}

/** A new git repository with these files in one commit; gives its folder. */
export function newRepository(folder: string, files: Readonly<Record<string, string>>): string {
  mkdirSync(folder, { recursive: true })
  git(folder, ['init', '--quiet', '--initial-branch=main'])
  commitFiles(folder, files)
  return folder
}

/** Writes files and commits them, with a neutral author. */
export function commitFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  git(folder, ['add', '--all'])
  const who = ['-c', 'user.name=demo', '-c', 'user.email=demo@example.test', '-c', 'commit.gpgsign=false']
  git(folder, [...who, 'commit', '--quiet', '--message', 'A step'])
}

/** One git command's output, trimmed. */
export function git(cwd: string, argv: readonly string[]): string {
  return execFileSync('git', argv, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
}

function configText(folder: string): string {
  return [
    `handoff: { store: ${JSON.stringify(join(folder, 'handoffs'))} }`,
    `output_dir: ${JSON.stringify(join(folder, 'summaries'))}`,
    `clone_dir: ${JSON.stringify(join(folder, 'clones'))}`,
    `embedding: { enabled: true, vectordb_path: ${JSON.stringify(join(folder, 'vectors'))} }`,
    'mcp: { auto_ingest: false }',
    'http: { host: 127.0.0.1, log_level: error }',
    '',
  ].join('\n')
}

function newClient(name: string): Client {
  return new Client({ name, version: '1.0.0' }, { versionNegotiation: { mode: { pin: PROTOCOL } } })
}

/** The first line of a serving verb with `--json` lists its listeners. */
async function addressFrom(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the server has no stdout')
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const { listeners } = JSON.parse(line) as { listeners: { address: string }[] }
  const address = listeners[0]?.address
  if (!address) throw new Error(`the server named no address: ${line}`)
  return address
}

function runVerb(
  argv: readonly string[],
  { input, cwd }: { readonly input?: string; readonly cwd: string },
): Run {
  try {
    const text = execFileSync(process.execPath, [SATCHEL, ...argv], {
      cwd,
      encoding: 'utf8',
      input: input ?? '',
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    return { code: 0, document: JSON.parse(text) }
  } catch (thrown) {
    const { status, stdout } = thrown as { status?: number; stdout?: string } // what execFileSync throws for an exit code
    if (typeof status !== 'number' || !stdout) throw thrown
    return { code: status, document: JSON.parse(stdout) }
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), EXIT_LIMIT_MS)
  await exited
  clearTimeout(late)
}
