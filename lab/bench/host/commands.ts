import { defineBench } from '../bench.ts'

export const startBench = defineBench({
  subject: 'start',
  title: 'start-up, first answers, memory and exit against a bare node',
  description:
    'Measures start-up, first answers, memory and exit of the built program, each against a bare node.',
  measure: async (context) => (await import('./start-up.ts')).measureStartUp(context),
})

export const callsBench = defineBench({
  subject: 'calls',
  title: 'what 100 extra tools add to one call',
  description: 'Measures one call of a host with 100 extra tools against the same call without them.',
  measure: async () => (await import('./tool-count.ts')).measureToolCount(),
})

export const httpBench = defineBench({
  subject: 'http',
  title: 'the capped body reader and the fan-out of streams, per CPU second',
  description:
    'Measures the capped body reader and the fan-out of streams, each against the naive code of the same run.',
  measure: async () => (await import('./http-figures.ts')).measureHttp(),
})

export const doorsBench = defineBench({
  subject: 'doors',
  title: 'server CPU of a tool over MCP against REST',
  description: 'Measures the CPU that the server takes for one tool over MCP against the same over REST.',
  measure: async () => (await import('./mcp-vs-rest.ts')).measureMcpAgainstRest(),
})
