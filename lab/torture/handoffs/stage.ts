import { handoffConfig } from '../../../plugins/handoff/config.ts'
import { createHandoffs, type Handoffs, type Project } from '../../../plugins/handoff/project.ts'
import { contextOf, testHost } from '../../../plugins/handoff/testing/fixture.ts'
import type { Image } from '../../../server/platform/testing/simulated-disk.ts'
import type { CallContext, Disk } from '../../../server/plugin.ts'
import type { Chance } from '../chance.ts'

/** A project whose store is on a disk that is not this machine's. Its root exists here too, and git finds nothing there. */
export const ROOT = '/'
export const STORE = '/.handoffs'
export const RECORDS = `${STORE}/records`
export const START: Image = new Map([['/', 'directory']])

/** The handoff plugin as one process has it. */
export interface Desk {
  readonly handoffs: Handoffs
  readonly ctx: CallContext
  readonly project: Project
}

const BEGAN_MS = Date.UTC(2026, 10, 21) // the time in records; each look is a second later

interface DeskOptions {
  readonly chance: Chance
  /** Goes with the times of the disk's files, in milliseconds. */
  readonly clock: () => number
  readonly root?: string
}

export async function openDesk(disk: Disk, { chance, clock, root = ROOT }: DeskOptions): Promise<Desk> {
  let calls = 0
  const now = (): Date => new Date(BEGAN_MS + 1000 * calls++)
  const config = handoffConfig.parse({})
  const handoffs = createHandoffs(testHost(root, now), config, { disk, clock, random: chance.bytes })
  const ctx = contextOf(root)
  const project = await handoffs.project(ctx, undefined)
  return { handoffs, ctx, project: { ...project, git: async () => ({ kind: 'failed', reason: 'no_git' }) } }
}
