import { join } from 'node:path'
import * as z from 'zod'
import { defineHostVerb } from '../../../server/cli/host-verb.ts'
import { printResult } from '../../../server/cli/render.ts'
import { userCache } from '../../../server/user-cache.ts'
import { labContext } from '../../context.ts'
import { figureTable } from '../figure.ts'
import { PEER_PARTS } from './parts.ts'

const REMOTE = 'https://github.com/terraform-aws-modules/terraform-aws-vpc.git'

/** `satchel bench peers`: what satchel does beside other programs that do it. */
export const peersBench = defineHostVerb({
  path: ['bench', 'peers'],
  summary: 'measure other programs beside satchel, in turns',
  description:
    'Installs rivals from the npm registry into a cache folder, without their scripts, runs them as their users do and measures satchel and them in turns: MCP servers from their start to their list of tools, records against Backlog.md, vector queries, durable mutations against SQLite, events to many readers, and the ingest of a real repository against clone, checkout and hcl2json. A rival that cannot be installed or fails is named with the reason and judges nothing.',
  input: z.object({
    part: z.array(z.enum(PEER_PARTS)).default([]).describe('what to compare; absent: everything'),
    cache: z
      .string()
      .optional()
      .describe('folder for the packages of rivals; absent: peers in the cache of satchel'),
    remote: z
      .string()
      .optional()
      .describe('repository with at least 20 tags to ingest; absent: terraform-aws-vpc'),
  }),
  examples: ['satchel bench peers --part start --json'],
  async run(world, { part, cache, remote }) {
    const { terminal } = world
    const { measurePeers } = await import('./peers.ts')
    const compared = await measurePeers({
      ...labContext(world),
      parts: part.length > 0 ? part : PEER_PARTS,
      cache: cache ?? join(userCache(terminal.env), 'peers'),
      remote: remote ?? REMOTE,
    })
    const missing = compared.missing.map(({ peer, reason }) => `left out: ${peer}: ${reason}`)
    printResult(terminal, { data: compared, text: [figureTable(compared.figures), ...missing].join('\n') })
    return 0
  },
})
