import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { TestContext } from 'node:test'
import { createHost, type RunningHost } from '../../../server/host.ts'
import { type CallContext, type Host, type Log, SatchelError } from '../../../server/plugin.ts'
import { temporaryFolderSync } from '../../../test/harness/temporary-folder.ts'
import { type HandoffConfig, handoffConfig } from '../config.ts'
import { handoffPlugin } from '../index.ts'

/** A project folder, a host with the handoff plugin, and a clock that only the test moves. */
export interface TestProject {
  readonly root: string
  readonly host: RunningHost
  /** The environment and the configuration that the host was given. */
  readonly env: Readonly<Record<string, string>>
  readonly config: HandoffConfig
  /** Resource URIs that were reported as changed. */
  readonly changed: string[]
  /** Everything that was logged. */
  readonly logged: string[]
  now(): Date
  advance(seconds: number): void
  call(tool: string, input?: Record<string, unknown>, as?: Partial<CallContext>): Promise<Answer>
  write(path: string, content: string | Uint8Array): void
  read(path: string): string
  /** Every file below the project but git's, by path. */
  files(): string[]
  git(...args: string[]): string
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Answer = any

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** So that no writer of a busy machine is told that another one has the record. */
export const LOCK_MS = 60_000

/** A project below the temporary folder, removed after the test. */
export async function openTestProject(
  t: TestContext,
  options: {
    readonly config?: Record<string, unknown>
    readonly env?: Record<string, string>
    readonly repository?: boolean
    readonly root?: string
    /** Where the host looks for its project. */
    readonly start?: string
    /** Address of a migrated database, which then holds the records. */
    readonly database?: string
    /** Time for one command of git; absent: a minute, so that a busy machine fails no test. */
    readonly gitMs?: number
    /** By which reading many files ends; absent: that of the system. */
    readonly clock?: () => number
  } = {},
): Promise<TestProject> {
  const root = options.root ?? temporaryFolderSync(t)
  let clock = Date.parse('2026-11-21T10:00:00.000Z')
  const changed: string[] = []
  const logged: string[] = []
  const log: Log = {
    ...silent,
    error: (message, fields) => logged.push(`${message} ${JSON.stringify(fields)}`),
  }
  const config = handoffConfig.parse(options.config ?? {})
  const { gitMs = 60_000, clock: timer } = options
  const plugin = handoffPlugin({ gitMs, lockMs: LOCK_MS, ...(timer && { clock: timer }) })
  const host = await createHost([{ plugin, config, source: 'built in' }], {
    log,
    now: () => new Date(clock),
    projectRoot: root,
    ...(options.start !== undefined && { projectStart: options.start }),
    configFile: undefined,
    env: { PATH: process.env['PATH'], HOME: root, ...options.env },
    ...(options.database !== undefined && { databaseUrl: options.database }),
    filter: { profile: 'full', readOnly: false, include: [], exclude: [] },
    assetPath: (name) => name,
    openListener: () => Promise.reject(new Error('no listener in this test')),
  })
  t.after(() => host.stop())
  host.hub.on('*', (signal) => {
    if (signal.kind === 'resource') changed.push(signal.uri)
  })
  const project: TestProject = {
    root,
    host,
    env: options.env ?? {},
    config,
    changed,
    logged,
    now: () => new Date(clock),
    advance: (seconds) => {
      clock += seconds * 1000
    },
    async call(tool, input = {}, as = {}) {
      const owned = host.registry.tool(tool)
      assert.ok(owned, `there is no tool ${tool}`)
      const answer = await host.call(owned, input, { ...contextOf(root), ...as })
      assert.ok(answer.kind === 'done')
      const headline = owned.tool.headline(answer.data)
      assert.ok(headline.length > 0 && headline.length <= 300, headline)
      assert.ok(!headline.includes('\n'), headline)
      return answer.data
    },
    write(path, content) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
    },
    read: (path) => readFileSync(join(root, path), 'utf8'),
    files: () => filesBelow(root),
    git: (...args) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
        cwd: root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim(),
  }
  if (options.repository) startRepository(project)
  return project
}

function startRepository(project: TestProject): void {
  project.git('init', '-q', '-b', 'main')
  project.write('src/callback.ts', 'export const callback = 1\n')
  project.write('README.md', '# Project\n')
  project.git('add', '.')
  project.git('commit', '-q', '-m', 'first')
}

/** What a plugin gets of a host, for parts that are tested without one. */
export function testHost(root: string, now: () => Date, env: Record<string, string> = {}): Host {
  return {
    log: silent,
    signal: new AbortController().signal,
    closing: new AbortController().signal,
    projectRoot: root,
    workingDirectory: root,
    configFile: undefined,
    env: { PATH: process.env['PATH'], HOME: root, ...env },
    now,
    resourceChanged() {},
    evidence: {
      names: async () => [],
      capture: () => Promise.reject(new Error('no kind of evidence in this test')),
      verify: async () => ({ verdict: 'unverifiable', reason: 'no kind of evidence in this test' }),
    },
    find: async () => [],
    callTool: async () => undefined,
    taskChanged() {},
    callerEnded() {},
    assetPath: (name) => name,
    openListener: () => Promise.reject(new Error('no listener in this test')),
  }
}

/** A local caller, confined to the root. */
export function contextOf(root: string): CallContext {
  return {
    principal: { id: 'local', kind: 'local', capabilities: [] },
    signal: new AbortController().signal,
    log: silent,
    door: 'cli',
    localTransport: 'cli',
    acceptsTask: false,
    async resolvePath(path) {
      const wanted = resolve(root, path)
      if (wanted !== root && !wanted.startsWith(root + sep)) {
        throw new SatchelError('forbidden', 'path_refused', 'outside')
      }
      return wanted
    },
    progress() {},
  }
}

function filesBelow(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith('.git/'))
    .sort()
}

/** Milliseconds of processor time of the cheapest of three runs: what else the machine does counts for nothing. */
export async function leastMs(run: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < 3; n++) {
    const started = process.cpuUsage()
    await run()
    const { user, system } = process.cpuUsage(started)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

/** The least a record needs. */
export const SMALL = {
  title: 'Validate the OAuth callback',
  objective: 'Reject replayed state parameters',
  current_state: 'The comparison helper works.',
}
