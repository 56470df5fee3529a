import { createHash } from 'node:crypto'
import * as z from 'zod'
import { SKILL } from '../../../generated/skill.ts'
import type { Route } from '../../../server/plugin.ts'
import { PROTOCOL } from '../connection/attachment.ts'
import { GUEST_LISTENERS } from '../tools/room-tool.ts'
import { json } from './json-route.ts'

const CALL = z.object({ method: z.string(), path: z.string() })
const ROOM_PROTOCOL = z.object({ name: z.string(), major: z.number() })
const WELL_KNOWN = z.object({
  name: z.string(),
  version: z.string(),
  protocol: ROOM_PROTOCOL,
  join: CALL,
  renew: CALL,
  mcp: z.string(),
  rest: z.string(),
  skills: z.string(),
})
const VERSIONS = ROOM_PROTOCOL.extend({
  version: z.string(),
  event_schema_version: z.number(),
  mcp: z.array(z.string()),
})
const SKILLS = z.object({
  skills: z.array(z.object({ name: z.string(), uri: z.string(), digest: z.string() })),
})
const HEALTH = z.object({ status: z.literal('healthy'), version: z.string() })

/** What an agent can read before it has a session: how to join, the protocol versions, the skill. */
export function wellKnownRoutes(version: string): readonly Route[] {
  const digest = `sha256:${createHash('sha256').update(SKILL).digest('hex')}`
  const skill = { name: 'satchel', uri: 'skill://satchel/SKILL.md', digest }
  return [
    open('/.well-known/agent-workspace', 'How an agent joins the room', WELL_KNOWN, () => ({
      name: 'satchel',
      version,
      protocol: PROTOCOL,
      join: { method: 'POST', path: '/session/join' },
      renew: { method: 'POST', path: '/session/renew' },
      mcp: '/mcp',
      rest: '/workspace',
      skills: '/skills',
    })),
    open('/protocol', 'Versions of the protocols of the room', VERSIONS, () => ({
      ...PROTOCOL,
      version,
      event_schema_version: 1,
      mcp: ['2026-07-28'],
    })),
    open('/skills', 'Skills for agents', SKILLS, () => ({ skills: [skill] })),
    {
      method: 'GET',
      path: '/skills/satchel',
      listeners: GUEST_LISTENERS,
      guard: 'open',
      document: {
        operationId: 'get-skills-satchel',
        summary: 'How an agent works in a room, as a skill',
        mediaType: 'text/markdown',
      },
      handle: async () =>
        new Response(SKILL, {
          headers: {
            'content-type': 'text/markdown; charset=utf-8',
            'x-content-type-options': 'nosniff',
            etag: `"${digest}"`,
          },
        }),
    },
    {
      ...open('/health', 'Health check', HEALTH, () => ({ status: 'healthy' as const, version })),
      listeners: GUEST_LISTENERS.filter((name) => name !== 'api'),
    }, // `serve` has its own
  ]
}

function open<A extends z.ZodObject>(
  path: `/${string}`,
  summary: string,
  answer: A,
  told: () => z.input<A>,
): Route {
  return {
    method: 'GET',
    path,
    listeners: GUEST_LISTENERS,
    guard: 'open',
    document: {
      operationId: `get-${path.replace(/^[^a-z]+/, '').replaceAll(/[^a-z]+/g, '-')}`,
      summary,
      answer,
    },
    handle: async () => json(told()),
  }
}
