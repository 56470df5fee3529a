import type { Auditor } from './auditor.ts'
import type { Journal } from './journal.ts'

type Said = Pick<Journal, 'lost' | 'typed' | 'sent' | 'proposed' | 'committed' | 'woken'>
type Seen = Pick<Auditor, 'events' | 'texts' | 'proposals'>

/** Everything that was lost, doubled, invented or not said. */
export function faultsOf(said: Said, seen: Seen): readonly string[] {
  return CHECKS.flatMap((check) => check(said, seen))
}

/** Milliseconds from the decision on a proposal until its waiting author was answered. */
export function lateness({ woken }: Pick<Journal, 'woken'>, { events }: Pick<Auditor, 'events'>): number[] {
  const decided = new Map(
    events
      .filter(({ event_type }) => /^proposal\.(approved|rejected|superseded)$/.test(event_type))
      .map(({ payload, created_at }) => [payload['proposal_id'], Date.parse(created_at)]),
  )
  return woken.flatMap(({ proposal_id, at }) => {
    const since = decided.get(proposal_id)
    return since === undefined ? [] : [Math.max(0, at - since)]
  })
}

const CHECKS: readonly ((said: Said, seen: Seen) => readonly string[])[] = [
  ({ lost }) => lost.map((text) => `missing from a page: ${text}`),
  function holes(_, { events }) {
    const wrong = events.filter(({ event_id }, at) => event_id !== at + 1)
    return wrong.map(({ event_id }) => `event ${event_id} is out of place`)
  },
  function typed(said, seen) {
    const made = madeIn(seen)
    const found = (text: string) => made.filter((one) => one.summary === text && one.content.includes(text))
    return [...said.typed].flatMap((text) => {
      const times = found(text).length
      return times === 1 ? [] : [`typed and sent once, proposed ${times} times: ${text}`]
    })
  },
  function acknowledged({ proposed }, { proposals }) {
    return [...proposed].flatMap(([id, summary]) =>
      proposals.get(id)?.summary === summary ? [] : [`acknowledged and missing: ${summary}`],
    )
  },
  function doubled({ sent }, seen) {
    const summaries = madeIn(seen).map(({ summary }) => summary)
    return summaries
      .filter((summary, at) => sent.has(summary) && summaries.indexOf(summary) !== at)
      .map((summary) => `there twice: ${summary}`)
  },
  function invented(said, seen) {
    return madeIn(seen)
      .filter(({ summary }) => !said.sent.has(summary) && !said.typed.has(summary))
      .map(({ summary }) => `invented: ${summary}`)
  },
  function commits({ committed, proposed }, { texts, events }) {
    return [...committed].flatMap(([id, version]) => {
      const summary = proposed.get(id) ?? ''
      const said = events.filter((one) => one.event_type === 'change.committed' && one.version === version)
      if (said.length !== 1) return [`version ${version} was announced ${said.length} times`]
      return texts.get(version)?.includes(summary) ? [] : [`version ${version} lacks ${summary}`]
    })
  },
  function waits({ woken }) {
    return woken.filter(({ happened }) => !happened).map((one) => `not woken: ${one.proposal_id}`)
  },
]

/** Rebased ones are copies on purpose. */
function madeIn({ proposals }: Pick<Auditor, 'proposals'>) {
  return [...proposals.values()].filter(({ rebased_from }) => rebased_from === undefined)
}
