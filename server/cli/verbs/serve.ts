import { resolve } from 'node:path'
import * as z from 'zod'
import { defineHostVerb } from '../host-verb.ts'
import { commaList, settingsOf, TRUST_PROXY } from './settings.ts'

const input = z.object({
  host: z.string().optional().describe('address to listen at (default 0.0.0.0)'),
  port: z.int().min(0).max(65535).optional().describe('port to listen at (default 8000); 0 takes a free one'),
  socket: z.string().optional().describe('Unix socket to serve at beside the port, for this user only'),
  trust_proxy: TRUST_PROXY,
})

/** `satchel serve`: serves every tool as a REST route, with `/docs`, `/events` and `/mcp`. */
export const serveVerb = defineHostVerb({
  path: ['serve'],
  summary: 'serve REST, its documentation and /mcp',
  description: [
    'Serves the REST API, /openapi.json, /docs, /redoc, /events and /mcp until it is stopped.',
    'Callers need the bearer token, except programs of the same user on this machine.',
  ].join(' '),
  input,
  examples: ['satchel serve --port 8000'],
  run: (world, { host, port, socket, trust_proxy }) =>
    world.doors.serveHttp(world, {
      surface: 'rest',
      flags: settingsOf({
        'http.host': host,
        'http.port': port,
        'http.socket': socket === undefined ? undefined : resolve(world.io.cwd, socket),
        'http.trust_proxy': commaList(trust_proxy),
      }),
    }),
})
