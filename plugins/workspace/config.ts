import * as z from 'zod'
import { LIMITS } from './domain/limits.ts'

const PORT_MAX = 65_535
const DATABASE_NAME_MAX = 200

const NOT_ORIGIN = 'must be http://HOST:PORT or https://HOST:PORT, without path and user'

/** A setting and a flag: the address of a server as guests see it. */
export const publicUrl = z.string().refine(isOrigin, NOT_ORIGIN)

/** The section `workspace` of the configuration file (surface, section 5). Without `file` and `connect` there is no room. */
export const workspaceConfig = z.strictObject({
  file: z.string().min(1).optional().describe('the Markdown file of the room, relative to the project root'),
  owner_port: z.int().min(0).max(PORT_MAX).default(4180).describe('port of the owner page, loopback only'),
  ingress_port: z.int().min(0).max(PORT_MAX).default(4181).describe('port that agents use'),
  database: z
    .string()
    .min(1)
    .max(DATABASE_NAME_MAX)
    .optional()
    .describe(
      'keep rooms in the database of storage.url, under this name of the project, which is the same on every machine; absent: in files',
    ),
  public_url: publicUrl
    .optional()
    .describe(
      'address at which guests reach the room, such as that of a reverse proxy; invitations and their links name it; absent: the address of the listener',
    ),
  replica_url: z
    .string()
    .refine(isOrigin, NOT_ORIGIN)
    .optional()
    .describe(
      'address at which the other servers of the database reach this server, for the rooms that it owns; absent: they do not',
    ),
  staleness: z
    .enum(['strict', 'section'])
    .default('section')
    .describe(
      'section: a proposal for a section stays current while that section is untouched; strict: no proposal does',
    ),
  connector: z
    .boolean()
    .default(false)
    .describe('also the tools search and fetch, as connectors of assistants expect them'),
  connect: z.string().url().optional().describe('URL of a remote room'),
  invite: z.string().optional().describe('invitation to redeem at that room, once'),
  name: z.string().min(1).max(LIMITS.nameChars).optional().describe('name of the local participant'),
  as: z.literal('owner').optional().describe('join as the owner of the room instead of as an agent'),
})

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, origin } = new URL(text)
  const isHttp = protocol === 'http:' || protocol === 'https:'
  return isHttp && username === '' && password === '' && text.replace(/\/$/, '').toLowerCase() === origin
}

export type WorkspaceConfig = z.output<typeof workspaceConfig>
