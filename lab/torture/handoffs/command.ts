import { storeVerb } from '../store-command.ts'

/** `satchel torture handoffs`: shows on the user's own disk that no answered handoff is lost. */
export const handoffsVerb = storeVerb({
  subject: 'handoffs',
  summary: 'try to make the handoff store lose something',
  description:
    'Cuts the power of a simulated disk after every disk change of a run that creates, updates, releases, resumes and archives handoffs, then at random in runs of concurrent callers and killed processes, and kills real processes while they write handoffs.',
  kills: 200,
  points: 20_000,
  kept: '0 answered handoffs lost, 0 torn files',
  load: async () => (await import('./torture.ts')).handoffTorture,
})
