import { definePlugin, defineTool } from 'satchel/plugin'
import * as z from 'zod'

const greet = defineTool({
  name: 'greet',
  title: 'Greet someone',
  description: 'Greets a person by name. Use it to see that the plugin answers. Returns the greeting.',
  profile: 'core',
  input: z.object({
    name: z.string().min(1).max(80).describe('whom to greet'),
    loud: z.boolean().default(false).describe('in capitals'),
  }),
  output: z.object({ greeting: z.string() }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  http: { method: 'GET', path: '/greetings/{name}' },
  cli: { verb: 'greet', positional: ['name'] },
  example: { name: 'Ada' },
  async handler(_ctx, { name, loud }) {
    const greeting = `Hello, ${name}!`
    return { greeting: loud ? greeting.toUpperCase() : greeting }
  },
  headline: ({ greeting }) => greeting,
})

export default definePlugin({
  name: 'greeter',
  version: '1.0.0',
  apiVersion: 1,
  config: z.object({}),
  setup: async () => ({ tools: [greet] }),
})
