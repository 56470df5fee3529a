import * as z from 'zod'
import type { BarPlot } from './plots.ts'

const score = z.object({ ndcg10: z.number() })
const retrieval = z.object({
  queries: z.int(),
  modules: z.int(),
  arms: z.array(z.object({ arm: z.string(), all: score, kinds: z.record(z.string(), score) })),
})
const counted = z.object({ kept: z.int(), of: z.int() })
const retention = z.object({
  rows: z.array(z.object({ scenario: z.string(), channel: z.string(), must_keep: counted, all: counted })),
})

const ARMS: Readonly<Record<string, string>> = { keyword: 'words only', hybrid: 'words and meaning' }
const CHANNELS: Readonly<Record<string, string>> = {
  hook: 'hook',
  resume_text: 'resume, as text',
  resume_data: 'resume, as data',
  resource: 'resource',
}

/** File name -> the words of the measurement, and its plot. */
export const FIGURES: Readonly<
  Record<string, { readonly words: readonly string[]; plot(measured: unknown): BarPlot }>
> = {
  'retrieval.svg': {
    words: ['bench', 'retrieval', '--json'],
    plot: (measured) => retrievalPlot(retrieval.parse(measured)),
  },
  'retention.svg': {
    words: ['handoff', 'retention', '--json'],
    plot: (measured) => retentionPlot(retention.parse(measured)),
  },
}

function retrievalPlot({ arms, queries, modules }: z.infer<typeof retrieval>): BarPlot {
  const kinds = Object.keys(arms[0]?.kinds ?? {})
  const shown = arms.filter(({ arm }) => Object.hasOwn(ARMS, arm))
  return {
    title: `Ranking of ${queries} judged queries over ${modules} modules, by kind of query`,
    unit: 'nDCG@10',
    labels: ['all', ...kinds],
    series: Object.fromEntries(
      shown.map(({ arm, all, kinds: scores }) => [
        ARMS[arm],
        [all, ...kinds.map((kind) => scores[kind])].map((one) => rounded(one?.ndcg10 ?? 0)),
      ]),
    ),
    max: 1,
  }
}

/** Both series over all scenarios, by the way a session is told. */
function retentionPlot({ rows }: z.infer<typeof retention>): BarPlot {
  const share = (channel: string, counts: 'must_keep' | 'all') => {
    const own = rows.filter((row) => row.channel === channel).map((row) => row[counts])
    return Math.round((1000 * sum(own.map(({ kept }) => kept))) / sum(own.map(({ of }) => of))) / 10
  }
  const channels = Object.keys(CHANNELS)
  return {
    title: 'Facts of a record that the next session is given, by the way it is told',
    unit: 'percent',
    labels: Object.values(CHANNELS),
    series: {
      'must keep': channels.map((channel) => share(channel, 'must_keep')),
      'all facts': channels.map((channel) => share(channel, 'all')),
    },
    max: 100,
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const rounded = (value: number) => Math.round(value * 1000) / 1000
