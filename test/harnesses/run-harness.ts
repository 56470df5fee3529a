import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { endedProcess } from '../harness/ended-process.ts'
import { processorTime } from '../hook-process.ts'
import { SATCHEL } from '../satchel-process.ts'
import type { Harness, HarnessProcess, PlainClient, ServerCommand, Stage } from './harness.ts'
import { installNode, installPackage } from './installation.ts'
import { DATA_MARK, MARK_CALLS, type Probe, probesOf, TEXT_MARK } from './probes.ts'
import { buildProject, SERVER_FLAGS } from './project.ts'
import { type ScriptedCall, startStubModel } from './stub-model.ts'

/** Ends a harness that hangs. */
const RUN_LIMIT_MS = 240_000
const PRINTED_CHARS = 4000
const SERVER_LOG = 'sent-to-satchel.jsonl'
const ATTEMPTS_LOG = 'other-hosts'
const LOOPBACK_ONLY = pathToFileURL(join(import.meta.dirname, '../fixtures/loopback-only.mjs'))
const HOOK_LOG = 'sent-to-hook.jsonl'

/** What reached the model of one harness. */
export interface HarnessRun {
  readonly probes: readonly Probe[]
  /** The results of the probes, then of the marks; undefined: it did not reach the model. */
  readonly results: readonly (string | undefined)[]
  /** All that the model was given before the first result. */
  readonly opening: string
  readonly strays: readonly string[]
  /** What the harness sent to satchel, one message each, after the session that it names in the environment. */
  readonly sent: readonly unknown[]
  /** The same of the hook at the start of the session: its input. */
  readonly hooked: readonly unknown[]
  /** The end of what it printed. */
  readonly printed: string
}

/** Installs a harness and runs it in a new project, with an empty home and a model on loopback. Errors: npm's, where it cannot be installed. */
export async function runHarness(harness: Harness | PlainClient): Promise<HarnessRun> {
  const installed = await installPackage(harness.package, harness.version)
  const node = harness.node === undefined ? process.execPath : await installNode(harness.node)
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'satchel-harness-')))
  const removed = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.once('exit', removed) // the lab was ended
  const [home, project] = [join(folder, 'home'), join(folder, 'project')]
  await mkdir(home)
  const probes = probesOf(await buildProject(project))
  const script = [...probes, ...MARK_CALLS]
  const model = await startStubModel(script)
  try {
    const stage = stageOf({ installed, home, project, url: model.url })
    await writeFiles(home, harness.files(stage))
    const run = (started: HarnessProcess) => runToEnd(started, node, stage)
    const ended =
      'call' in harness ? await callEach(harness, stage, script, run) : await run(harness.process(stage))
    return {
      probes,
      results: ended.results ?? model.results(),
      opening: JSON.stringify(model.requests.filter(({ results }) => results.length === 0)),
      strays: [...model.strays, ...linesOf(join(home, ATTEMPTS_LOG))],
      sent: logged(home, SERVER_LOG),
      hooked: logged(home, HOOK_LOG),
      printed: `${ended.out}${ended.err}`.slice(-PRINTED_CHARS),
    }
  } finally {
    await model.close()
    process.off('exit', removed)
    removed()
  }
}

async function callEach(
  client: PlainClient,
  stage: Stage,
  script: readonly ScriptedCall[],
  run: (started: HarnessProcess) => Promise<Ended>,
): Promise<Ended> {
  const ended: Ended[] = []
  for (const call of script) ended.push(await run(client.call(stage, call)))
  return { out: '', err: ended.map(({ err }) => err).join(''), results: ended.map(({ out }) => out) }
}

/** The servers and the hook of a run; `flags` follow `satchel mcp`. */
export function stageOf(
  places: Pick<Stage, 'installed' | 'home' | 'project' | 'url'>,
  flags: readonly string[] = SERVER_FLAGS,
): Stage {
  const started = (file: string, words: readonly string[]): ServerCommand => ({
    command: process.execPath,
    args: [join(import.meta.dirname, file), ...words],
  })
  const recorded = (log: string, words: readonly string[]): ServerCommand =>
    started('record-stdin.mjs', [join(places.home, log), ...words])
  const [node, ...satchel] = SATCHEL
  // The limit of a hook is counted in processor time: others at work on this machine change nothing.
  const hook = recorded(HOOK_LOG, [node, processorTime(), ...satchel, 'handoff', 'hook', 'session-start'])
  const served = [...SATCHEL, 'mcp', ...flags, '--project', places.project]
  return {
    ...places,
    servers: {
      satchel: recorded(SERVER_LOG, served),
      marks: started('marks-server.mjs', [TEXT_MARK, DATA_MARK]),
    },
    startHook: [hook.command, ...hook.args].map((word) => `"${word}"`).join(' '),
  }
}

/**
 * Nothing of the environment but the PATH is handed on. Every proxy is the model, which notes and refuses what is asked
 * of it; a program that runs on Node is kept from other hosts without a proxy too.
 */
function bareEnvironment({ home, url }: Stage, nodeFolder: string): Record<string, string> {
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
  const folders = { HOME: home, USERPROFILE: home, TMPDIR: home, XDG_RUNTIME_DIR: home }
  return {
    PATH: `${nodeFolder}:${process.env['PATH']}`,
    ...folders,
    ...Object.fromEntries(proxies.map((name) => [name, url])),
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
    NPM_CONFIG_REGISTRY: url,
    NODE_OPTIONS: `--import=${LOOPBACK_ONLY}`,
    FOREIGN_ATTEMPTS: join(home, ATTEMPTS_LOG),
    CI: 'true',
    NO_COLOR: '1',
  }
}

/** Writes the files of a harness below its home. */
export async function writeFiles(
  home: string,
  files: Readonly<Record<string, string | object>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true })
    await writeFile(join(home, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
}

interface Ended {
  readonly out: string
  readonly err: string
  /** What a plain client printed of each call. */
  readonly results?: readonly string[]
}

/** Runs a program in a process group of its own, which is ended with it or at the limit. */
export async function runToEnd(
  { program, args, env }: HarnessProcess,
  node: string,
  stage: Stage,
): Promise<Ended> {
  const child = spawn(program ?? node, args, {
    cwd: stage.project,
    env: { ...bareEnvironment(stage, dirname(node)), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const endGroup = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {} // every process of it ended
  }
  const limit = setTimeout(endGroup, RUN_LIMIT_MS)
  process.once('exit', endGroup) // the lab was ended
  const ended = endedProcess(child)
  await once(child, 'exit')
  clearTimeout(limit)
  endGroup()
  process.off('exit', endGroup)
  return ended
}

function logged(home: string, log: string): readonly unknown[] {
  return linesOf(join(home, log)).map((line): unknown => JSON.parse(line))
}

/** Lines of a file that may never have been written. */
function linesOf(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
}
