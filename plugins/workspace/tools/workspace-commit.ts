import * as z from 'zod'
import { counted, inWords } from '../../../server/plugin.ts'
import type { RoomAccess } from '../connection/room-access.ts'
import { commit } from '../room/commits.ts'
import { changeTool } from './room-tool.ts'
import { COMMIT, KEY } from './shapes.ts'

export function workspaceCommit(access: RoomAccess) {
  return changeTool(access, {
    name: 'workspace_commit',
    title: 'Commit',
    description:
      'Commit an approved proposal. Fails with stale_version on a stale base (the proposal becomes conflicted), with lease_conflict on a lease of another. Admins may send base_version, summary and content or patch instead, and force: true to ignore leases. Takes idempotency_key.',
    profile: 'standard',
    requires: 'commit',
    path: '/commit',
    destructive: true,
    input: z.object({
      proposal_id: z.string().optional().describe('Approved proposal'),
      fence: z.int().optional().describe('Of your lease'),
      force: inWords(z.boolean().optional().describe('Admin: ignore leases')),
      base_version: inWords(z.int().optional().describe('Admin: version you read')),
      content: inWords(z.string().optional().describe('Admin: full new text')),
      patch: inWords(z.string().optional().describe('Admin: unified diff, in place of content')),
      summary: inWords(z.string().optional().describe('Admin: why')),
      idempotency_key: KEY,
    }),
    output: COMMIT,
    example: { proposal_id: 'prop_0000000000000000' },
    work: commit,
    omits: { '/content_hash': 'a hash that no call takes' },
    headline: ({ version, superseded }) =>
      `Version ${version}${superseded.length > 0 ? ` supersedes ${counted(superseded.length, 'proposal')}` : ''}.`,
  })
}
