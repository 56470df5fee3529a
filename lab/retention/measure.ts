import { type Fact, isMustKeep, type Outcome, outcomeOf } from './facts.ts'
import type { Played, Scenarios } from './played.ts'
import { SCENARIOS } from './scenarios.ts'
import { onStage } from './stage.ts'

/** How a session is given a record. */
export const CHANNELS = ['hook', 'resume_text', 'resume_data', 'resource'] as const
export type Channel = (typeof CHANNELS)[number]

export interface Lost {
  readonly scenario: string
  readonly channel: Channel
  readonly fact: string
}

export interface Share {
  readonly kept: number
  readonly of: number
}

/** Facts given in one scenario through one channel. */
export interface Row {
  readonly scenario: string
  readonly channel: Channel
  readonly must_keep: Share
  readonly all: Share
  /** Of those kept, how many are only listed. */
  readonly listed: number
}

export interface Retention {
  readonly must_keep: Share
  readonly all: Share
  readonly rows: readonly Row[]
  /** Must-keep facts that were lost. */
  readonly lost: readonly Lost[]
}

/** Plays scenarios one after the other, each in a repository of its own, and counts what is given. */
export async function measureRetention(
  env: Readonly<Record<string, string | undefined>>,
  scenarios: Scenarios = SCENARIOS,
): Promise<Retention> {
  const rows: Row[] = []
  const lost: Lost[] = []
  for (const [scenario, play] of Object.entries(scenarios)) {
    const { given, facts } = await onStage(env, async (stage) => {
      const played = await play(stage)
      return { given: await givenTo(played), facts: played.facts }
    })
    for (const [channel, text] of given) {
      const judged = facts.map((fact) => ({ fact, outcome: outcomeOf(fact, text) }))
      rows.push(rowOf(scenario, channel, judged))
      for (const { fact, outcome } of judged)
        if (isMustKeep(fact) && outcome === 'lost') lost.push({ scenario, channel, fact: fact.mark })
    }
  }
  return {
    must_keep: sum(rows.map(({ must_keep }) => must_keep)),
    all: sum(rows.map(({ all }) => all)),
    rows,
    lost,
  }
}

/** What each channel gives. At `startup` the hook gives one line only, which is not judged by facts. */
async function givenTo({ session, source }: Played): Promise<ReadonlyMap<Channel, string>> {
  const hook = await session.hook('session-start', { source })
  const { text, data } = await session.call('handoff_resume')
  const resource = await session.read('handoff://latest/brief').catch(() => '')
  return new Map<Channel, string>([
    ...(source === 'startup' ? [] : [['hook', hook] as const]),
    ['resume_text', text],
    ['resume_data', data],
    ['resource', resource],
  ])
}

function rowOf(
  scenario: string,
  channel: Channel,
  judged: readonly { readonly fact: Fact; readonly outcome: Outcome }[],
): Row {
  const must = judged.filter(({ fact }) => isMustKeep(fact))
  const kept = (list: typeof judged) => ({
    kept: list.filter(({ outcome }) => outcome !== 'lost').length,
    of: list.length,
  })
  return {
    scenario,
    channel,
    must_keep: kept(must),
    all: kept(judged),
    listed: judged.filter(({ outcome }) => outcome === 'listed').length,
  }
}

function sum(shares: readonly Share[]): Share {
  return shares.reduce((all, one) => ({ kept: all.kept + one.kept, of: all.of + one.of }), { kept: 0, of: 0 })
}
