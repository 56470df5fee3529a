import * as z from 'zod'
import { defineBench } from '../bench.ts'

/** `satchel bench modules`: the goals of modules design 8 as ratios of one run. */
export const modulesBench = defineBench({
  subject: 'modules',
  title: 'Measure the module ingest',
  description:
    'Measures the ingest of 20 tags against clone and checkout of each, a second run with nothing changed against the first, our reader against the reference parser, the peak memory of 500 modules at 3 refs, and a check of 200 calls. With --tags: what the verdicts of module_diff are worth on all consecutive tags of real repositories. With --calls: what the findings of module_check are worth on the calls in their examples, as written and with seeded mistakes; with --terraform also whether it says the same. With --answers: what answers of get_module about real modules cost a model.',
  flags: {
    remote: z.string().optional().describe('Repository with at least 20 tags; absent: a made-up one.'),
    tags: z
      .array(z.string())
      .default([])
      .describe('bare repositories, or folders of them: judge their consecutive tags instead'),
    calls: z
      .array(z.string())
      .default([])
      .describe('bare repositories, or folders of them: check the calls in their examples instead'),
    answers: z
      .array(z.string())
      .default([])
      .describe('bare repositories, or folders of them: size the answers about their modules instead'),
    terraform: z.string().optional().describe('with --calls: the command of Terraform or OpenTofu'),
  },
  async measure(context, { remote, tags, calls, answers, terraform }) {
    if (tags.length > 0) return (await import('./tags/figures.ts')).measureTags(context, tags)
    if (calls.length > 0) return (await import('./calls/figures.ts')).measureCalls(context, calls, terraform)
    if (answers.length > 0) return (await import('./answer-sizes.ts')).measureAnswers(context, answers)
    return (await import('./figures.ts')).measureModules({ ...context, remote })
  },
})
