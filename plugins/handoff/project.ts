import { randomBytes } from 'node:crypto'
import { relative, resolve } from 'node:path'
import type { CallContext, Host } from '../../server/plugin.ts'
import type { HandoffConfig } from './config.ts'
import type { RandomBytes } from './domain/record-id.ts'
import { type Git, gitIn } from './git/run-git.ts'
import { type Disk, realDisk } from './store/disk.ts'
import { layoutOf } from './store/layout.ts'
import { createIndex, type RecordIndex } from './store/record-index.ts'
import { openStore, type Store } from './store/store.ts'

/** One project: its root, its store and its repository. */
export interface Project {
  /** Absolute; said in every answer. */
  readonly root: string
  readonly store: Store
  readonly index: RecordIndex
  readonly git: Git
  /** The store's folder below the root with a slash at its end, for git's lists of paths. */
  readonly storePrefix: string
}

/** What every action of this plugin works with. Lives as long as the host. */
export interface Handoffs {
  readonly config: HandoffConfig
  readonly env: Readonly<Record<string, string | undefined>>
  /** The time that records are given. */
  now(): Date
  /** Milliseconds that pass, for limits. */
  clock(): number
  random: RandomBytes
  /** What a session was last told about its need of a handoff; its next record takes it. */
  readonly detections: Map<string, { readonly score: number; readonly reasons: readonly string[] }>
  /** The project of a call: `path`, confined to what the caller may touch, or the host's own root. */
  project(ctx: CallContext, path: string | undefined): Promise<Project>
  /** The project at a root, with little patience for git, whose commands end with the signal: a hook must not hold its host up. */
  hookProject(root: string, signal: AbortSignal): Project
  /** The host's own project, for what no call asks for. */
  ownProject(): Project
}

const HOOK_GIT_MS = 400

/** Opens projects on demand, on the given disk; makes no folder and touches no file. */
export function createHandoffs(host: Host, config: HandoffConfig, disk: Disk = realDisk): Handoffs {
  const projects = new Map<string, Project>()
  const at = (root: string): Project => {
    const known = projects.get(root)
    if (known) return known
    const project = openProject(host, config, disk, root)
    projects.set(root, project)
    return project
  }
  return {
    config,
    env: host.env,
    now: () => host.now(),
    clock: systemClock,
    random: (size) => randomBytes(size),
    detections: new Map(),
    hookProject: (root, signal) => ({
      ...at(root),
      git: gitIn(root, host.env, { limitMs: HOOK_GIT_MS, signal }),
    }),
    ownProject: () => at(host.projectRoot),
    project: async (ctx, path) => at(path === undefined ? host.projectRoot : await ctx.resolvePath(path)),
  }
}

/** The default clock of locks, file ages and limits: it must go with the times the file system writes. */
const systemClock = () => Date.now()

function openProject(host: Host, config: HandoffConfig, disk: Disk, root: string): Project {
  const folder = resolve(root, config.store)
  const layout = layoutOf(root, folder)
  const store = openStore({
    disk,
    layout,
    now: systemClock,
    onWrite: (id) => {
      for (const uri of [`handoff://${id}`, `handoff://${id}/brief`, 'handoff://latest', 'handoff://index']) {
        host.resourceChanged(uri)
      }
    },
  })
  return {
    root,
    store,
    index: createIndex(disk, layout, systemClock),
    git: gitIn(root, host.env),
    storePrefix: `${relative(root, folder)}/`,
  }
}
