import { randomBytes } from 'node:crypto'
import { relative, resolve } from 'node:path'
import type { CallContext, Database, EvidenceKinds, Host } from '../../server/plugin.ts'
import { type Disk, realDisk, requireProject } from '../../server/plugin.ts'
import type { HandoffConfig } from './config.ts'
import type { Root } from './domain/commit-id.ts'
import type { RandomBytes } from './domain/record-id.ts'
import { folderWithStore } from './git/folder-with-store.ts'
import { mainWorktreeOf } from './git/linked-worktree.ts'
import { isOutsideRepositories } from './git/no-repository.ts'
import { rootCommit } from './git/repository.ts'
import { type Git, type GitLimits, gitIn } from './git/run-git.ts'
import { sharedGit } from './git/shared-git.ts'
import { createDatabaseIndex } from './store/database-index.ts'
import { type DatabaseStoreParts, openDatabaseStore, projectRows } from './store/database-store.ts'
import { layoutOf } from './store/layout.ts'
import { createIndex, type RecordIndex } from './store/record-index.ts'
import { openStore, type Store } from './store/store.ts'

/** What the host gives to every project: configuration, clocks and randomness. */
interface Services {
  readonly config: HandoffConfig
  readonly env: Readonly<Record<string, string | undefined>>
  /** The kinds of evidence of all plugins. */
  readonly evidence: EvidenceKinds
  /** The time written into records. */
  now(): Date
  /** Milliseconds, for locks, the age of files and time limits. */
  clock(): number
  random: RandomBytes
  /** The last result of `handoff_detect` by session; the session's next record stores it. */
  readonly detections: Map<string, { readonly score: number; readonly reasons: readonly string[] }>
}

/** One project: its root, its store and its repository. */
export interface Project extends Services {
  /** Absolute; part of every answer. */
  readonly root: string
  readonly store: Store
  readonly index: RecordIndex
  readonly git: Git
  /** The first commit, for which git gets more time than for other answers: an id is kept. */
  rootCommit(): Promise<Root>
  /** The store's folder below the root with a slash at its end, for git's lists of paths. */
  readonly storePrefix: string
  /** Whose call it is: `latest` depends on the session. Absent in work outside a call, which has none. */
  readonly caller?: Pick<CallContext, 'localTransport'>
}

/** What the tools, hooks and resources of this plugin share. Lives as long as the host. */
export interface Handoffs extends Services {
  /**
   * The project of a call: `path`, confined to what the caller may touch, or the host's own project: the nearest folder with
   * a store from where the host found its root, or else that root.
   * Errors: `not_found`/`project_not_found` for anything but a folder.
   */
  project(ctx: CallContext, path: string | undefined): Promise<Project>
  /** The project at a root, with limits for git: a hook must not block its harness. */
  hookProject(root: string, limits: GitLimits): Project
  /** The project at a root that the host vouches for. */
  projectAt(root: string): Project
  /** The host's own project, for work outside a call. */
  ownProject(): Promise<Project>
}

/** What tests replace: a crash test works on a simulated disk, and no other test may fail on a busy machine. */
export interface HandoffSeams {
  readonly disk?: Disk
  /** Time for one command of git. Absent: 2 s. */
  readonly gitMs?: number
  /** How long a write waits for another one of the same record. Absent: 5 s. */
  readonly lockMs?: number
  /** See `Services.clock`; it must agree with the times of the disk's files. */
  readonly clock?: () => number
  readonly random?: RandomBytes
}

/** Opens projects on demand. Creates no folder and touches no file. */
export function createHandoffs(
  host: Host,
  config: HandoffConfig,
  { disk = realDisk, gitMs, lockMs, clock = Date.now, random = randomBytes }: HandoffSeams = {},
): Handoffs {
  const projects = new Map<string, { readonly home: string; readonly project: Project }>()
  const services: Services = {
    config,
    env: host.env,
    evidence: host.evidence,
    // Replicas agree on the clock of the database they share.
    now: () => new Date(host.now().getTime() + (host.database?.clockOffsetMs() ?? 0)),
    clock,
    random,
    detections: new Map(),
  }
  const at = (root: string): Project => {
    // Records that a linked work tree has checked out are those of its branch; the store is that of the main one.
    const home = mainWorktreeOf(root) ?? root
    const known = projects.get(root)
    // `git worktree repair` may join the two at any time.
    if (known?.home === home) return known.project
    const project = openProject({ host, services, disk, gitMs, lockMs }, root, home)
    projects.set(root, { home, project })
    return project
  }
  const rootOfCall = async (ctx: CallContext, path: string | undefined): Promise<string> => {
    await host.database?.ready()
    if (path !== undefined) return requireProject(await ctx.resolvePath(path), path)
    // A simulated disk has no folder of the system's own.
    return disk === realDisk ? requireProject(await ownRoot()) : host.projectRoot
  }
  const ownRoot = async (): Promise<string> => {
    if (host.projectStart === undefined || host.database) return host.projectRoot
    return (await folderWithStore(host.projectStart, config.store)) ?? host.projectRoot
  }
  return {
    ...services,
    hookProject: (root, limits) => {
      const git = gitIn(root, host.env, limits)
      return { ...at(root), git, rootCommit: () => rootCommit(git) }
    },
    projectAt: at,
    ownProject: async () => at(await ownRoot()),
    project: async (ctx, path) => ({ ...at(await rootOfCall(ctx, path)), caller: ctx }),
  }
}

/** A history of a million commits without a commit graph takes git some seconds; clients wait for a minute. */
const HISTORY_MS = 20_000

interface ProjectParts {
  readonly host: Host
  readonly services: Services
  readonly disk: Disk
  readonly gitMs: number | undefined
  readonly lockMs: number | undefined
}

function openProject(
  { host, services, disk, gitMs, lockMs }: ProjectParts,
  root: string,
  home: string,
): Project {
  const folder = resolve(home, services.config.store)
  const layout = layoutOf(root, folder)
  const shared = (limits?: GitLimits): Git =>
    sharedGit(gitIn(root, host.env, limits), { isOutside: () => isOutsideRepositories(root) })
  const history = shared({ limitMs: HISTORY_MS })
  const own = {
    git: shared(gitMs === undefined ? {} : { limitMs: gitMs }),
    rootCommit: () => rootCommit(history),
  }
  const parts = { disk, layout, now: services.clock, lockMs, onWrite: (id: string) => announce(host, id) }
  const named = root === host.projectRoot ? (services.config.project ?? undefined) : undefined
  return {
    ...services,
    ...(host.database
      ? inDatabase(host.database, { ...parts, ...own, named })
      : { store: openStore(parts), index: createIndex(disk, layout, services.clock) }),
    ...own,
    root,
    storePrefix: `${relative(home, folder)}/`,
  }
}

function inDatabase(
  database: Database,
  parts: Omit<DatabaseStoreParts, 'database'> & { now(): number },
): Pick<Project, 'store' | 'index'> {
  const own = { ...parts, database }
  const rows = projectRows(own)
  return { store: openDatabaseStore(own, rows), index: createDatabaseIndex(parts, rows) }
}

function announce(host: Host, id: string): void {
  for (const uri of [`handoff://${id}`, `handoff://${id}/brief`, 'handoff://latest', 'handoff://index']) {
    host.resourceChanged(uri)
  }
}
