import { storeVerb } from '../store-command.ts'

/** `satchel torture ingest`: shows on the user's own disk that no answered ingest is lost. */
export const ingestVerb = storeVerb({
  subject: 'ingest',
  summary: 'try to make an ingest lose something',
  description:
    'Cuts the power of a simulated disk after every disk change of ingests of a small repository that grows, changes and shrinks, then at random in ingests with other options, and kills real ingests. Summaries, index, keyword index and vectors must be those of an undisturbed run after the next ingest.',
  kills: 100,
  points: 5_000,
  kept: '0 answered ingests lost, 0 torn files',
  load: async (env) => (await import('./torture.ts')).ingestTorture(env),
})
