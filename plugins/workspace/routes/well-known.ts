import { createHash } from 'node:crypto'
import { SKILL } from '../../../generated/skill.ts'
import type { Route } from '../../../server/plugin.ts'
import { PROTOCOL } from '../connection/attachment.ts'
import { GUEST_LISTENERS } from '../tools/room-tool.ts'
import { json } from './json-route.ts'

/** What an agent can read before it has a session: how to join, the protocol versions, the skill. */
export function wellKnownRoutes(version: string): readonly Route[] {
  const digest = `sha256:${createHash('sha256').update(SKILL).digest('hex')}`
  const skill = { name: 'satchel', uri: 'skill://satchel/SKILL.md', digest }
  return [
    open('/.well-known/agent-workspace', () => ({
      name: 'satchel',
      version,
      protocol: PROTOCOL,
      join: { method: 'POST', path: '/session/join' },
      renew: { method: 'POST', path: '/session/renew' },
      mcp: '/mcp',
      rest: '/workspace',
      skills: '/skills',
    })),
    open('/protocol', () => ({ ...PROTOCOL, version, event_schema_version: 1, mcp: ['2026-07-28'] })),
    open('/skills', () => ({ skills: [skill] })),
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
      ...open('/health', () => ({ status: 'healthy', version })),
      listeners: GUEST_LISTENERS.filter((name) => name !== 'api'),
    }, // `serve` has its own
  ]
}

function open(path: `/${string}`, answer: () => unknown): Route {
  return {
    method: 'GET',
    path,
    listeners: GUEST_LISTENERS,
    guard: 'open',
    handle: async () => json(answer()),
  }
}
