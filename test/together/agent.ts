import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { BUILT, type RoomProcess, spawnRoomProcess } from '../workspace-process.ts'
import type { Journal } from './journal.ts'
import type { TogetherRoom } from './room.ts'

const WAIT_S = 300
const PACE_MS = 200

/** An agent that proposes, waits for the review and commits, over stdio. */
export interface WorkingAgent {
  readonly process: RoomProcess
  /** Resolves when it has ended its turn after `stop`, or was killed. */
  readonly stopped: Promise<void>
  stop(): void
}

/** What ends the work of a killed agent. */
class WasKilled extends Error {}

type Call = (tool: string, input: object) => Promise<Record<string, unknown>>

interface Work {
  readonly call: Call
  readonly section: string
  /** Different in each process, so that every text is its own. */
  readonly mark: string
  readonly journal: Journal
}

/** Starts one in a process of its own. */
export function startAgent(
  t: TestContext,
  room: TogetherRoom,
  who: { readonly section: string; readonly mark: string; readonly journal: Journal },
): WorkingAgent {
  const process = spawnRoomProcess(t, {
    name: who.section.toLowerCase().replace(' ', '-'),
    args: ['--room', room.file, '--profile', 'full'],
    program: BUILT,
  })
  const exited = once(process.child, 'exit').then(() => Promise.reject(new WasKilled('it was killed')))
  exited.catch(() => {}) // raced below
  let isStarting = true
  const call: Call = (tool, input) => {
    const what = isStarting ? 'the first call, with the start of its process' : tool
    isStarting = false
    return who.journal.timed(what, () => Promise.race([process.call(tool, input), exited]))
  }
  let going = true
  const run = async (): Promise<void> => {
    try {
      for (let turn = 0; going; turn += 1) {
        await (turn % 4 === 3 ? waitForAny : proposeAndCommit)({ ...who, call }, turn)
        await pause(PACE_MS)
      }
    } catch (thrown) {
      if (!(thrown instanceof WasKilled)) throw thrown
    }
  }
  return {
    process,
    stopped: run(),
    stop: () => {
      going = false
    },
  }
}

async function proposeAndCommit({ call, section, mark, journal }: Work, turn: number): Promise<void> {
  const { version } = await call('workspace_status', {})
  if (typeof version !== 'number') return
  const summary = `${mark}/${turn}`
  journal.sent.add(summary)
  const proposed = await call('workspace_propose', {
    base_version: version,
    target: `section:Plan/${section}`,
    summary,
    content: `## ${section}\n\n${summary}\n\n`,
  })
  const { proposal_id } = proposed
  if (typeof proposal_id !== 'string') return journal.refused(reasonOf(proposed))
  journal.proposed.set(proposal_id, summary)
  const waited = await wait({ call, journal }, { proposal_id })
  if (waited['status'] !== 'approved') return
  const done = await call('workspace_commit', { proposal_id })
  if (typeof done['version'] === 'number') journal.committed.set(proposal_id, done['version'])
  else journal.refused(`commit: ${reasonOf(done)}`)
}

/** Others work meanwhile, so an event comes. */
async function waitForAny({ call, journal }: Work): Promise<void> {
  const { latest_event_id } = await call('workspace_status', {})
  if (typeof latest_event_id !== 'number') return
  await wait({ call, journal }, { since_event_id: latest_event_id })
}

async function wait(
  { call, journal }: Pick<Work, 'call' | 'journal'>,
  wish: { readonly proposal_id?: string; readonly since_event_id?: number },
) {
  const waited = await call('workspace_wait', { ...wish, timeout_s: WAIT_S })
  const isAnswered = typeof waited['happened'] === 'boolean'
  if (!isAnswered) journal.refused(`wait: ${reasonOf(waited)}`)
  journal.woken.push({
    proposal_id: wish.proposal_id ?? 'any event',
    happened: waited['happened'] === true,
    at: Date.now(),
  })
  return waited
}

function reasonOf(answer: Readonly<Record<string, unknown>>): string {
  const { error } = answer as { error?: { reason?: string } } // of a refusal
  return error?.reason ?? JSON.stringify(answer).slice(0, 300)
}
