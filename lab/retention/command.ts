import { z } from 'zod'
import { defineHostVerb } from '../../server/cli/host-verb.ts'
import { printDocument, printText } from '../../server/cli/render.ts'
import type { Retention, Share } from './measure.ts'

const LOST_EXIT = 3 // surface, section 3: a check found something

/** `satchel handoff retention`: what a session knows after a compaction. */
export const retentionVerb = defineHostVerb({
  path: ['handoff', 'retention'],
  summary: 'measure what a compaction loses',
  description:
    'Plants facts in records, drives hooks and tools through compactions, resumes and restarts in temporary repositories, and counts the facts that the next session is given by the hook, by handoff_resume as text and as data, and by the resource. Exits 3 if a fact is lost that must be kept: objective, next action, criteria for done, constraints, attempts not to repeat, claims that do not hold. Over the bound of an answer a fact counts as kept when it is listed by id with the call that reads it.',
  input: z.object({}),
  typing: {},
  examples: ['satchel handoff retention --json'],
  async run({ terminal }) {
    const { measureRetention } = await import('./measure.ts')
    const retention = await measureRetention(terminal.env)
    if (terminal.json) printDocument(terminal, retention)
    else printText(terminal, tableOf(retention))
    return retention.lost.length > 0 ? LOST_EXIT : 0
  },
})

function tableOf({ rows, must_keep, all, lost }: Retention): string {
  const width = Math.max(...rows.map(({ scenario }) => scenario.length))
  return [
    `${'scenario'.padEnd(width)}  channel      must keep  all`,
    ...rows.map(
      (row) =>
        `${row.scenario.padEnd(width)}  ${row.channel.padEnd(11)}  ${shareOf(row.must_keep).padStart(9)}  ${shareOf(row.all)}`,
    ),
    `kept ${shareOf(must_keep)} facts that must be kept (${percent(must_keep)}), ${shareOf(all)} of all (${percent(all)})`,
    ...lost.map(({ scenario, channel, fact }) => `lost: ${fact} (${scenario}, ${channel})`),
  ].join('\n')
}

function shareOf({ kept, of }: Share): string {
  return `${kept}/${of}`
}

function percent({ kept, of }: Share): string {
  return `${((kept / of) * 100).toFixed(1)} %`
}
