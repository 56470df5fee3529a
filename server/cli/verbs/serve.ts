import { z } from 'zod'
import { defineHostVerb } from '../host-verb.ts'
import { settingsOf } from './settings.ts'

const input = z.object({
  host: z.string().optional().describe('address to listen at (default 0.0.0.0)'),
  port: z.int().min(0).max(65535).optional().describe('port to listen at (default 8000); 0 takes a free one'),
})

/** `satchel serve`: serves every tool as a REST route, with `/docs`, `/events` and `/mcp`. */
export const serveVerb = defineHostVerb({
  path: ['serve'],
  summary: 'serve REST, its documentation and /mcp',
  description: [
    'Serves the REST API, /openapi.json, /docs, /redoc, /events and /mcp until it is stopped.',
    'Requests from other machines need the bearer token.',
  ].join(' '),
  input,
  typing: {},
  examples: ['satchel serve --port 8000'],
  run: (world, { host, port }) =>
    world.doors.serveHttp(world, {
      surface: 'rest',
      flags: settingsOf({ 'http.host': host, 'http.port': port }),
    }),
})
