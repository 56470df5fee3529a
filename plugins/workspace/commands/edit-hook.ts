import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import * as z from 'zod'
import {
  type Command,
  defineCommand,
  type Host,
  isJsonObject,
  isSatchelError,
  parsedJson,
  type Terminal,
} from '../../../server/plugin.ts'
import { callOwner, type OwnerAddress } from '../connection/link.ts'
import { type HarnessEdit, harnessEdits } from '../domain/harness-edit.ts'
import type { Lease } from '../domain/lease.ts'
import { outlineOf } from '../domain/outline.ts'
import { LOOKING } from '../domain/session.ts'
import { narrowedTo, type TargetText } from '../domain/span.ts'
import { overlaps, parseTarget } from '../domain/target.ts'
import { roomPlace } from '../engine/open-room.ts'
import type { Joined } from '../room/members.ts'
import { asking, runningOwner } from './target.ts'

const EVENTS = ['pre-edit', 'post-edit'] as const

/**
 * `satchel workspace hook EVENT`: called by a harness around its own edit tool. `pre-edit` turns an edit of a room's file
 * into a proposal, or refuses it while another participant holds a lease on the place; `post-edit` lets the room take in
 * an edit that was made. It always exits with 0; where it can decide nothing, the edit goes on.
 */
export function editHookCommand(host: Host): Command {
  return defineCommand({
    cli: 'workspace hook',
    title: 'harness hook around an edit',
    description:
      'For harnesses: pre-edit turns an edit of the file of an open room into a proposal, or refuses it while another participant holds a lease; post-edit lets the room take in an edit. Reads JSON on stdin; always exits 0.',
    positional: ['event'],
    input: z.object({
      event: z.string().describe(`one of ${EVENTS.join(', ')}`),
      harness: z.string().optional().describe('the caller, as the room names it: claude-code, …'),
    }),
    example: 'satchel workspace hook pre-edit --harness claude-code',
    async run(_, { event, harness = 'agent' }, terminal) {
      try {
        const input = parsedJson(await text(terminal.stdin))
        const edits = harnessEdits(input)
        for (const edit of edits) {
          const found = await roomOf(host, edit)
          if (!found) continue
          const denied = await asking(found.address, async () => {
            if (event !== 'pre-edit') return takenIn(found)
            return edits.length > 1 ? ALONE : proposed(found, harness)
          })
          if (denied !== undefined) return told(terminal, denial(input, denied))
        }
      } catch (thrown) {
        if (!isSatchelError(thrown)) throw thrown
        terminal.note(`satchel workspace hook ${event.slice(0, 40)}: ${thrown.message}`)
      }
      return 0
    },
  })
}

/** A hook lets a patch pass or not, and a part of this one could not become a proposal. */
const ALONE =
  'One file of this patch belongs to a room, and nothing was changed. Repeat the edits of that file in a patch of their own, and those of the other files in another.'

function told(terminal: Terminal, answer: object): number {
  terminal.write(`${JSON.stringify(answer)}\n`)
  return 0
}

interface EditedRoom {
  readonly address: OwnerAddress
  readonly edit: HarnessEdit
}

/** The open room around the edited file, if there is one. */
async function roomOf(host: Host, edit: HarnessEdit): Promise<EditedRoom | undefined> {
  const place = placeOf(resolve(edit.cwd ?? host.projectRoot, edit.path), host.env)
  const address = place && (await runningOwner(place))
  return address && { address, edit }
}

function placeOf(path: string, env: Host['env']) {
  try {
    return roomPlace(path, env)
  } catch {
    return undefined // its folder does not exist
  }
}

/** The file is looked at by any look at the room. */
async function takenIn({ address }: EditedRoom): Promise<undefined> {
  await callOwner(address, { method: 'GET', path: '/workspace/status', token: LOOKING.token })
}

/** Why the edit was not made: it is a proposal now, or another participant holds a lease. Undefined: let the harness make it. */
async function proposed({ address, edit }: EditedRoom, harness: string): Promise<string | undefined> {
  return asLocal(address, harness, async (ask, me) => {
    const { version, content } = (await ask('GET', 'read')) as { version: number; content: string } // the route's answer
    const after = edit.apply(content)
    if (after === undefined || after === content) return undefined
    const change = narrowedTo(outlineOf(content), content, after)
    const { leases } = (await ask('GET', 'leases')) as { leases: readonly Lease[] } // likewise
    const held = leases.find((lease) => lease.participant_id !== me && isTouched(lease, change))
    if (held) return refusal(held)
    const summary = `Edit of ${change.target}`
    const body = { ...change, base_version: version, summary }
    const { proposal_id } = (await ask('POST', 'propose', body)) as { proposal_id: string } // likewise
    return `The file belongs to a room: this edit is proposal ${proposal_id} for ${change.target} now, and waits for a review. Do not repeat it. The file changes when the proposal is committed.`
  })
}

function isTouched(lease: Lease, { target }: TargetText): boolean {
  return overlaps(parseTarget(lease.target), parseTarget(target))
}

function refusal({ target, expires_at }: Lease): string {
  return `Another participant of the room holds a lease on ${target} until ${expires_at}. Work on another section, or try again after that.`
}

type Ask = (method: 'GET' | 'POST', name: string, body?: object) => Promise<unknown>

/** Runs `work` with a session of an agent of this machine, which ends with it. */
async function asLocal<T>(
  address: OwnerAddress,
  name: string,
  work: (ask: Ask, participantId: string) => Promise<T>,
): Promise<T> {
  const joined = (await callOwner(address, {
    method: 'POST',
    path: '/local/join',
    body: { name, kind: 'agent' },
  })) as Joined // our own route's answer
  const { token, session_id, participant_id } = joined
  try {
    return await work(
      (method, path, body) =>
        callOwner(address, { method, path: `/workspace/${path}`, token, ...(body && { body }) }),
      participant_id,
    )
  } finally {
    const path = `/workspace/sessions/${session_id}`
    await callOwner(address, { method: 'DELETE', path, token }).catch(() => undefined) // it had ended already
  }
}

/** What the harness reads: the edit is not made, and the model is told why. Gemini CLI and Cursor name the event otherwise, and read other fields. */
function denial(input: unknown, reason: string): object {
  const event = isJsonObject(input) ? input['hook_event_name'] : undefined
  if (event === 'BeforeTool') return { decision: 'deny', reason }
  if (event === 'preToolUse') return { permission: 'deny', user_message: reason, agent_message: reason }
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    },
  }
}
