import { z } from 'zod'

/** That an answer was cut: what was left out of it, and the call that reads on. */
export const truncatedShape = z.object({
  reason: z.string(),
  left_out: z.record(z.string(), z.number()).describe('part -> entries left out; a cut text counts as none'),
  next: z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) }),
})

/** A digest's line about it; undefined where nothing was cut. */
export function cutLine(truncated: z.output<typeof truncatedShape> | undefined): string | undefined {
  if (!truncated) return undefined
  const counts = Object.entries(truncated.left_out).map(([name, count]) => `${count} of ${name}`)
  const what = counts.length === 0 ? 'long texts' : counts.join(', ').slice(0, 200)
  return `Cut: ${what}. The rest: ${JSON.stringify(truncated.next)}`
}
