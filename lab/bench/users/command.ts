import * as z from 'zod'
import { defineBench } from '../bench.ts'

/** `satchel bench users`: what many concurrent users wait for, and what they cost one server. */
export const usersBench = defineBench({
  subject: 'users',
  title: 'measure one server under many users',
  description:
    'Serves a project with modules and handoffs in a separate process to simulated users, each of whom sends one request a second at moments fixed in advance: nine reads to one write, half of them over REST and half over MCP, every tenth with a stream open. A request is timed from the moment at which it was due. A bare server answers beside it. Works in a temporary folder and removes it.',
  flags: {
    users: z.coerce.number().int().min(1).max(2000).default(300).describe('concurrent users'),
    seconds: z.coerce.number().int().min(1).max(86_400).default(600).describe('how long they go on'),
  },
  measure: async (context, flags) => (await import('./figures.ts')).measureUsers(context, flags),
})
