import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { runSatchel } from '../satchel-process.ts'
import { claudeCode } from './clients/claude-code.ts'
import { codex } from './clients/codex.ts'
import { continueCli } from './clients/continue.ts'
import { geminiCli } from './clients/gemini-cli.ts'
import { openCode } from './clients/opencode.ts'
import { qwenCode } from './clients/qwen-code.ts'
import type { Harness, HarnessProcess, Stage } from './harness.ts'
import { installPackage } from './installation.ts'
import { runToEnd } from './run-harness.ts'
import { startStubModel } from './stub-model.ts'

/** A harness that tells itself whether `satchel setup` connected it. */
export interface Confirmation {
  readonly harness: Harness
  /** As `satchel setup` names it. */
  readonly client: string
  /** The file that is set up, from the home. */
  readonly file: string
  /** What its own `mcp list` says of a server that answered; absent: the tools that it offers to its model tell. */
  readonly connected?: RegExp
  /** Further files of the home, and what differs from a measurement. */
  readonly files?: (stage: Stage) => Readonly<Record<string, string | object>>
  readonly process?: (stage: Stage, isSetUp: boolean) => HarnessProcess
}

export const CONFIRMATIONS: readonly Confirmation[] = [
  { harness: claudeCode, client: 'claude-code', file: '.claude.json', connected: /satchel: .*✔ Connected/ },
  {
    harness: codex,
    client: 'codex',
    file: '.codex/config.toml',
    // Else its first request may leave before the tools are known.
    process: (stage, isSetUp) => {
      const started = codex.process(stage)
      const waits = ['required=true', 'startup_timeout_sec=60'].flatMap((pair) => [
        '-c',
        `mcp_servers.satchel.${pair}`,
      ])
      return isSetUp
        ? { ...started, args: [...started.args.slice(0, -1), ...waits, ...started.args.slice(-1)] }
        : started
    },
  },
  {
    harness: continueCli,
    client: 'continue',
    file: '.continue/config.yaml',
    files: (stage) => ({
      '.continue/config.yaml': JSON.stringify(continueCli.files(stage)['config.yaml'], undefined, 2),
    }),
    process: (stage) => {
      const started = continueCli.process(stage)
      return {
        ...started,
        args: started.args.filter((word) => word !== '--config' && !word.endsWith('config.yaml')),
      }
    },
  },
  {
    harness: geminiCli,
    client: 'gemini-cli',
    file: '.gemini/settings.json',
    connected: /✓ satchel: .*Connected/,
  },
  {
    harness: openCode,
    client: 'opencode',
    file: '.config/opencode/opencode.json',
    connected: /✓ satchel connected/,
  },
  {
    harness: qwenCode,
    client: 'qwen-code',
    file: '.qwen/settings.json',
    connected: /✓ satchel: .*Connected/,
  },
]

/** What a harness said of one setup and its removal. */
export interface Confirmed {
  readonly before: boolean
  readonly afterSetup: boolean
  readonly afterRemoval: boolean
  /** What the removal did to the file: the harness may have changed it meanwhile. */
  readonly removal: string
  /** Whether the file has the bytes that it had before the setup, or before the harness changed it. */
  readonly isExact: boolean
}

/** Installs a harness, sets it up in an empty home, asks it, undoes that and asks it again. Errors: npm's. */
export async function confirm({ harness, ...how }: Confirmation): Promise<Confirmed> {
  const installed = await installPackage(harness.package, harness.version)
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'satchel-setup-')))
  const [home, project] = [join(folder, 'home'), join(folder, 'project')]
  const model = await startStubModel([])
  try {
    await Promise.all([mkdir(home), mkdir(project)])
    const servers = {} as Stage['servers'] // this home has no server yet
    const stage: Stage = { installed, home, project, url: model.url, servers, startHook: 'true' }
    for (const [path, content] of Object.entries({ ...harness.files(stage), ...how.files?.(stage) })) {
      await mkdir(dirname(join(home, path)), { recursive: true })
      await writeFile(
        join(home, path),
        typeof content === 'string' ? content : JSON.stringify(content, undefined, 2),
      )
    }
    const isConnected = async (isSetUp: boolean): Promise<boolean> => {
      const started = how.process?.(stage, isSetUp) ?? harness.process(stage)
      const earlier = model.requests.length
      const ended = await runToEnd(how.connected ? listOf(started) : started, process.execPath, stage)
      if (how.connected) return how.connected.test(stripVTControlCharacters(ended.out + ended.err))
      return model.requests
        .slice(earlier)
        .some(({ tools }) => tools.some(({ name }) => name.endsWith('handoff_resume')))
    }
    const satchel = async (...words: readonly string[]) => {
      const ran = await runSatchel(project, ['setup', ...words, '--json'], { HOME: home })
      if (ran.code !== 0) throw new Error(`satchel setup ${words.join(' ')}: ${ran.out}${ran.err}`)
      return JSON.parse(ran.out).clients[0]
    }
    const content = () => readFile(join(home, how.file), 'utf8').catch(() => undefined)

    const before = await isConnected(false)
    const [original] = [await content(), await satchel(how.client)]
    const setUp = await content()
    const afterSetup = await isConnected(true)
    const isChanged = (await content()) !== setUp
    const { files } = await satchel(how.client, '--remove')
    const left = await content()
    const afterRemoval = await isConnected(false)
    return {
      before,
      afterSetup,
      afterRemoval,
      removal: files[0].outcome,
      isExact: isChanged || left === original,
    }
  } finally {
    await model.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function listOf({ program, args, env }: HarnessProcess): HarnessProcess {
  const script = program === undefined ? args.slice(0, 1) : []
  return { ...(program !== undefined && { program }), ...(env && { env }), args: [...script, 'mcp', 'list'] }
}
